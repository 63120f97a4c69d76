"""Words for model parameters, by which calls take them as keywords: "tool0.payload.mass" is ``tool0_payload_mass=``.

A word is the name with an underscore for each dot, if that is an identifier. Names of descriptions may hold any
character: otherwise an underscore replaces each that an identifier cannot have, with an x before a digit at first, and
if two names of a model would have one word, the later one has a number at its end. So each parameter has one word, each
word means one parameter, and a call may always give the name itself: ``f(**{"tool-0.mass": 1.0})``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from keyword import iskeyword
from weakref import WeakKeyDictionary

from armdyn.model.model import Model
from armdyn.model.parameters import parameter_names

_WORDS: WeakKeyDictionary[Model, Mapping[str, str]] = WeakKeyDictionary()


def parameter_words(model: Model) -> Mapping[str, str]:
    """The word of each parameter of a model, by its name.

    >>> words = parameter_words(armdyn.load("ur5").model)
    >>> words["forearm_link.mass"], words["tool0.payload.com"]
    ('forearm_link_mass', 'tool0_payload_com')
    """
    if model not in _WORDS:
        names = list(dict.fromkeys(parameter_names(model)))
        owners: dict[str, str] = {}
        for name in sorted(names, key=lambda name: not _is_plain(name)):  # first those that any model gives their word
            owners[_free(_plain(name), owners)] = name
        by_name = {name: word for word, name in owners.items()}
        _WORDS[model] = {name: by_name[name] for name in names}
    return _WORDS[model]


def word_of(model: Model, name: str) -> str:
    """The word of a parameter; a name that is not a parameter's is its own word."""
    return parameter_words(model).get(name, name) if "." in name else name


def parameter_of(model: Model, word: str) -> str | None:
    """The name of the parameter that a word means; None if it means none."""
    return next((name for name, own in parameter_words(model).items() if own == word), None)


def _is_plain(name: str) -> bool:
    """True if a name is two identifiers, owner and quantity, with a single dot, so that its word is unique."""
    owner, _, _ = name.rpartition(".")
    return owner.removesuffix(".payload").removesuffix(".spring").isidentifier() or not owner


def _plain(name: str) -> str:
    """The word of a name by itself, as Python reads identifiers."""
    word = unicodedata.normalize("NFKC", name.replace(".", "_"))
    if not word.isidentifier():
        word = re.sub(r"\W", "_", word)
        word = word if word.isidentifier() else f"x{word}"
    return f"{word}_" if iskeyword(word) else word


def _free(word: str, taken: Mapping[str, str]) -> str:
    """The word, with the first number at its end that makes it different from those that are taken, if it needs one."""
    text, count = word, 1
    while text in taken:
        count += 1
        text = f"{word}_{count}"
    return text
