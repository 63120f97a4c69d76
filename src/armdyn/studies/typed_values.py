"""Values of words that are typed as text: numbers between commas, names, true and false, YAML in brackets."""

from __future__ import annotations

import re
from typing import Any

from armdyn.base.quantities import split_quantities
from armdyn.base.yaml_file import Keys, read_value
from armdyn.studies.errors import StudyError
from armdyn.studies.table import WORDS

SWITCHES = {"true": True, "false": False, "null": None}

_FILE = re.compile(r".*\.(csv|tsv|txt|parquet|npz|mcap|bag|db3|jsonl?|ya?ml)", re.IGNORECASE)


def is_file(value: object) -> bool:
    """True if a value is the name of a table."""
    return _FILE.fullmatch(str(value)) is not None and not isinstance(value, list | dict)


def value_of_text(keys: Keys, text: str, place: str) -> Any:
    """The value that a text means for a word or a part of one.

    Args:
        keys: the word, and the part.
        text: as it is typed: "0.5,-90deg", "rk4", "true", "{mass: 2}".
        place: for messages.

    Raises:
        StudyError: a text in brackets that is not YAML.
        MissingLibrary: a text in brackets, without PyYAML.

    >>> value_of_text(("q0",), "0.5,-90deg", "--q0"), value_of_text(("method",), "rk4", "--method")
    (['0.5', '-90deg'], 'rk4')
    """
    word, text = WORDS[keys[0]], text.strip()
    if text[:1] in ("[", "{", "'", '"'):
        return read_value(text, place, word.example, error=StudyError)
    if text in SWITCHES:
        return SWITCHES[text]
    if word.unit_of(*keys[1:]) is None or is_file(text):
        return text
    numbers = split_quantities(text)
    return numbers[0] if len(numbers) == 1 else numbers
