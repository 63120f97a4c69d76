"""Options that are words of a scenario: made of their table, ``--set WORD=VALUE`` for all others, and ``--words``."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from armdyn.base.errors import ArmdynError
from armdyn.base.yaml_file import Keys
from armdyn.cli.arguments import load_robot
from armdyn.cli.completion import words as words_to_complete
from armdyn.cli.screen import screen
from armdyn.cli.tables import show
from armdyn.robots import load
from armdyn.simulation.methods.catalogue import NAMES
from armdyn.studies.controllers import inputs_of_any, offered
from armdyn.studies.errors import StudyError
from armdyn.studies.table import WORDS, Word, word_for
from armdyn.studies.typed_values import is_file, value_of_text
from armdyn.studies.words import Words, keys_of

SCENARIOS = (".yaml", ".yml", ".json")

SINGULAR = {"inputs": "--input"}
"""Options that are repeated, by their words; of others the option is the word."""

SHORT = {"out": "-o"}

FILES: tuple[Keys, ...] = (("torque",), ("torque", "file"), ("reference",), ("actuators",))
"""Words that name a file: in the current folder if they are typed, in that of the scenario otherwise."""

ALTERNATIVES: tuple[tuple[Keys, ...], ...] = ((("inputs", "q_ref"), ("reference",)), (("controller",), ("torque",)))
"""Words that exclude each other: an option for one replaces the others of a scenario."""

SET = "Any word of a scenario, or a part of one: save.every=10ms, contacts.table='{...}'; may be repeated."
LIST = "List all words, with units, defaults and examples, and exit."


def flag(name: str) -> str:
    """The option of a word."""
    return SINGULAR.get(name, f"--{name.replace('_', '-')}")


def metavar(word: Word) -> str:
    """The placeholder of a word's value in the help."""
    if word.is_named:
        return "NAME=VALUE"
    kinds = ("NUMBERS" if word.unit is not None else "", "FILE" if "file" in (word.short, *word.help.split()) else "")
    return "|".join(filter(None, kinds)) or ("FILE" if word.python == "study.folder" else "NAME")


def unit_text(unit: str | None) -> str:
    """A unit of the table in words."""
    of_joints = {"<q>": "rad or m", "<qd>": "rad/s or m/s", "<tau>": "N m or N", "<f_tip>": "N m and N"}
    return "" if not unit else of_joints.get(unit, unit)


def help_of(name: str) -> str:
    """The help of a word: its sentence, unit and example."""
    word = WORDS[name]
    unit = f", {unit_text(word.unit)}" if word.unit else ""
    example = word.example if word.is_named or word.python == "study.folder" else f"{flag(name)} {typed(word.example)}"
    if word.is_named:
        example = f"{flag(name)} {' '.join(_pairs(word.example)[:1])}"
    elif word.python == "study.folder":
        example = f"{flag(name)} reach.csv {flag(name)} reach.png"
    text = f"{word.help[0].upper()}{word.help[1:]}{unit}: {example}"
    return f"{text}; may be repeated." if name in SINGULAR or name == "out" else f"{text}."


def typed(example: str) -> str:
    """An example of YAML as it is typed in a shell."""
    if example.startswith("[") and ":" not in example and "'" not in example:
        return example.strip("[]").replace(", ", ",")
    return f"'{example}'" if example[:1] in "[{" else example


def _pairs(example: str) -> list[str]:
    """NAME=VALUE of each entry of a mapping of one line."""
    inner = example.strip("{}")
    name, _, value = inner.partition(": ")
    value = value.partition("], ")[0] + "]" if value.startswith("[") else value.partition(",")[0]
    return [f"{name}={typed(value)}"]


def _controllers(incomplete: str) -> list[str]:
    """The names of controllers that complete a text; their modules are imported only then."""
    return words_to_complete(*offered())(incomplete)


def _inputs(context: typer.Context, incomplete: str) -> list[str]:
    """NAME= for every input of the controller that was typed."""
    controller = context.params.get("controller")
    try:
        return [] if "=" in incomplete or not controller else words_to_complete(*inputs_of(controller))(incomplete)
    except ArmdynError:
        return []


def _words(incomplete: str) -> list[str]:
    """WORD= for every word and part of one."""
    candidates = [f"{name}=" for name in WORDS] + [
        f"{name}.{part}=" for name, word in WORDS.items() for part in word.parts
    ]
    return [] if "=" in incomplete else words_to_complete(*candidates)(incomplete)


COMPLETIONS: Mapping[str, Any] = {
    "controller": _controllers,
    "inputs": _inputs,
    "method": words_to_complete(*NAMES),
}

Settings = Annotated[list[str] | None, typer.Option("--set", metavar="WORD=VALUE", help=SET, autocompletion=_words)]


def _print_words(is_set: bool) -> None:
    if is_set:
        show(screen(), words_table())
        raise typer.Exit


ListWords = Annotated[bool, typer.Option("--words", help=LIST, is_eager=True, callback=_print_words)]


def with_options(verb: Callable[..., None]) -> inspect.Signature:
    """The signature of a verb, in which the options that are words of the table replace ``**texts``."""
    arm, *own, _ = inspect.signature(verb, eval_str=True).parameters.values()
    return inspect.Signature([arm, *_options(), *(p.replace(kind=p.KEYWORD_ONLY) for p in own)])


def _options() -> Iterator[inspect.Parameter]:
    """The options that are words, in the order of the table."""
    for name, word in WORDS.items():
        if not word.option:
            continue
        option = typer.Option(
            flag(name),
            *([SHORT[name]] if name in SHORT else []),
            metavar=metavar(word),
            help=help_of(name).replace("[", "\\["),
            autocompletion=COMPLETIONS.get(name),
        )
        kind: Any = list[Path] | None if name == "out" else list[str] | None if name in SINGULAR else str | None
        yield inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind, option])


def with_typed(words: Words, texts: Mapping[str, Any], settings: Iterable[str] | None) -> Words:
    """The words of a scenario with those of options and of ``--set`` in their place.

    Args:
        words: of the scenario.
        texts: the texts of options by word.
        settings: texts of ``--set``.

    Raises:
        StudyError: a text of another form, or a word twice.
        UnknownName: a word that does not exist.
    """
    typed_words: dict[Keys, tuple[str, str]] = {}

    def add(keys: Keys, text: str, place: str) -> None:
        if keys in typed_words:
            other = typed_words[keys][1]
            by = f"{other} twice; expected it once" if other == place else f"{other} and {place}; expected one of them"
            raise StudyError(f"{'.'.join(keys)} is given by {by}")
        typed_words[keys] = (text, place)

    for name, text in texts.items():
        if text is None:
            continue
        if name in SINGULAR:
            for each in text:
                key, value = pair(each, flag(name), "Kp=900 or q_ref=90deg,0")
                add((name, key), value, f"{flag(name)} {key}")
        else:
            add((name,), ",".join(map(str, text)) if isinstance(text, list) else str(text), flag(name))
    for text in settings or []:
        path, value = pair(text, "--set", "save.every=10ms or payload='{mass: 2}'")
        add(keys_of(path, "--set"), value, f"--set {path}")
    words = words.without([keys for group in ALTERNATIVES if typed_words.keys() & set(group) for keys in group])
    for keys, (text, place) in typed_words.items():
        value = value_of_text(keys, text, place)
        value = str(Path(text).absolute()) if keys in FILES and is_file(text) else value
        words = words.with_options({keys: value}, {keys: place})
    return words.checked()


def pair(text: str, option: str, example: str) -> tuple[str, str]:
    """The name and the value of NAME=VALUE.

    Raises:
        StudyError: a text of another form.
    """
    name, equals, value = text.partition("=")
    if not (name.strip() and equals and value.strip()):
        raise StudyError(f"{option} has {text!r}; expected NAME=VALUE, such as {example}")
    return name.strip(), value.strip()


def words_of(name: str) -> Words:
    """Those of a scenario, or of a robot alone."""
    if Path(name).suffix.lower() in SCENARIOS:
        return Words.read(Path(name))
    if not name:
        load_robot(name)  # raises: it is empty
    return Words.of_options({"robot": name})


def inputs_of(controller: str) -> list[str]:
    """NAME= for each input of a controller as it is typed, and of its wrappers."""
    robot = load("planar_2r")
    value = value_of_text(("controller",), controller, "--controller")
    own = Words.of_options({"controller": value}).quantities(robot).own
    return [f"{name}=" for name in own if name not in ("q0", "qd0", "f_tip")]


def advice(option: str) -> str | None:
    """The word in the place of an option that does not exist; None without one.

    >>> advice("--step"), advice("--Kp"), advice("--colour")
    ('--set method.step=VALUE', '--input Kp=VALUE', None)
    """
    name = option.lstrip("-").replace("-", "_")
    if name in inputs_of_any():
        return f"--input {name}=VALUE"
    word = word_for(name)
    if word is None:
        return None
    key, _, value = word.partition("=")
    return f"{flag(key)} {value}" if key in WORDS and WORDS[key].option else f"--set {word}"


def words_table() -> Table:
    """The table of all words and their parts."""
    table = Table(box=None, pad_edge=False, title="Words of --set and of scenarios", title_justify="left")
    for heading in ("word", "unit", "default", "meaning", "example"):
        table.add_column(heading, overflow="fold", no_wrap=heading == "word")
    for name, word in WORDS.items():
        table.add_row(name, unit_text(word.unit), "", word.help, word.example, style="bold" if word.parts else "")
        for part in word.parts.values():
            path = f"{name}.NAME.{part.name}" if word.is_named else f"{name}.{part.name}"
            table.add_row(path, unit_text(part.unit), part.default, part.help, "")
    return table
