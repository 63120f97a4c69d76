"""YAML files as plain data: nothing is executed, no key may stand twice, no aliases; 1e-3 is a number, 100:1 is text.

A JSON file is one of YAML too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from armdyn.base.errors import ArmdynError, MissingLibrary, ModelError, excerpt

LARGEST = 1 << 20
"""Bytes of a file that a person writes."""

WHOLE = re.compile(r"[-+]?(0|[1-9]\d*)$")
"""Whole numbers as people write them: YAML 1.1 reads 0100 as 64, and 100:1 as 6001. These stay texts."""

NUMBER = re.compile(r"[-+]?((\d+\.\d*|\.\d+)([eE][-+]?\d+)?|\d+[eE][-+]?\d+|\.(inf|Inf|INF))$|\.(nan|NaN|NAN)$")
"""Other numbers: with an exponent but no point or no sign, which YAML 1.1 takes for text."""


Keys = tuple[str, ...]
"""The keys that lead to a value, from the outermost."""


class Lined(dict[Any, Any]):
    """A mapping of a file, with the line of each key in ``lines``."""

    lines: dict[Any, int]


def read_mapping(path: Path, subject: str, example: str, *, error: type[ArmdynError] = ModelError) -> Lined:
    """The mapping that a file holds.

    Args:
        path: of the file.
        subject: it is, for messages: "a scenario".
        example: of a line of it.
        error: what is raised.

    Raises:
        ModelError: a file that cannot be read, or that is not a YAML mapping with keys that are text.
        MissingLibrary: if PyYAML is not installed.
    """
    yaml = _library(subject)
    try:
        content = path.read_bytes()
        if len(content) > LARGEST:
            raise error(f"{path} has {len(content):,} bytes; expected {subject} of at most {LARGEST:,}")
        result = yaml.load(content, _loader(yaml))  # a safe loader
    except FileNotFoundError:
        raise error(f"no file {str(path)!r}; expected that of {subject}, with lines such as {example!r}") from None
    except OSError as fault:
        raise error(f"{path} cannot be read: {fault.strerror or fault}") from fault
    except yaml.YAMLError as fault:
        mark = getattr(fault, "problem_mark", None)
        place = f":{mark.line + 1}" if mark is not None else ""
        reason = getattr(fault, "problem", None) or fault
        if "'\\t' that cannot start any token" in str(reason):
            reason = "a tab stands before a word; expected spaces"
        raise error(f"{path}{place}: {reason}") from fault
    except (ValueError, RecursionError) as fault:  # impossible dates; thousands of brackets
        raise error(f"{path} cannot be read as YAML: {fault}") from fault
    if not isinstance(result, Lined):
        kind = subject.removeprefix("a ").removeprefix("an ")
        raise error(f"{path} holds no {kind}; expected lines such as '{example}'")
    for (written, line), key in zip(result.lines.items(), result, strict=False):
        if not isinstance(key, str):
            raise error(f"{path}:{line}: {written} is read as {key!r}, which is not text; write '{written}' in quotes")
    return result


def read_value(text: str, subject: str, example: str, *, error: type[ArmdynError] = ModelError) -> Any:
    """The value that a short text of YAML means, such as "[pid, {delayed: {steps: 2}}]".

    Args:
        text: as it is typed.
        subject: it is, for messages: "--controller".
        example: of such a text.
        error: what is raised.

    Raises:
        ModelError: a text that is not YAML.
        MissingLibrary: if PyYAML is not installed.
    """
    yaml = _library(subject)
    try:
        return yaml.load(text, _loader(yaml))  # a safe loader
    except (yaml.YAMLError, ValueError, RecursionError) as fault:
        reason = getattr(fault, "problem", None) or str(fault)
        raise error(
            f"{subject} has {excerpt(text)}, which is not YAML ({reason}); expected such as {example!r}"
        ) from fault


def lines_of(data: Lined, keys: Keys = ()) -> Iterator[tuple[Keys, int]]:
    """The line of each key of mappings in mappings."""
    for (key, value), line in zip(data.items(), data.lines.values(), strict=False):
        inner = (*keys, str(key))
        yield inner, line
        if isinstance(value, Lined):
            yield from lines_of(value, inner)


def _library(subject: str) -> Any:
    try:
        import yaml  # noqa: PLC0415 - an extra
    except ImportError:
        raise MissingLibrary(f"{subject} needs PyYAML, which is not installed: pip install pyyaml") from None
    return yaml


def _loader(yaml: Any) -> type:
    class Loader(yaml.SafeLoader):  # type: ignore[misc]
        def compose_node(self, parent: object, index: object) -> Any:
            if self.check_event(yaml.AliasEvent):
                raise yaml.MarkedYAMLError(problem="aliases are not read", problem_mark=self.peek_event().start_mark)
            return super().compose_node(parent, index)

        def construct_lined(self, node: Any) -> Iterator[Lined]:
            result = Lined()
            yield result
            result.lines = {}
            for key, _ in node.value:
                if not isinstance(key, yaml.ScalarNode):
                    raise yaml.MarkedYAMLError(problem="a key is not text", problem_mark=key.start_mark)
                if key.value in result.lines:
                    raise yaml.MarkedYAMLError(problem=f"{key.value!r} stands twice", problem_mark=key.start_mark)
                result.lines[key.value] = key.start_mark.line + 1
            result.update(self.construct_mapping(node))

    numbers = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")
    Loader.yaml_implicit_resolvers = {
        first: [(tag, form) for tag, form in resolvers if tag not in numbers]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    for tag, form in zip(numbers, (WHOLE, NUMBER), strict=True):
        Loader.add_implicit_resolver(tag, form, list("-+.0123456789"))
    Loader.add_constructor("tag:yaml.org,2002:map", Loader.construct_lined)
    return Loader
