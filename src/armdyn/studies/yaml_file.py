"""YAML files as plain data: nothing is executed, no key may stand twice, no aliases, and 1e-3 is a number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from armdyn.errors import MissingLibrary
from armdyn.studies.errors import StudyError

LARGEST = 1 << 20
"""Bytes of a file that a person writes."""

NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)[eE][-+]?\d+$")
"""Numbers with an exponent, which YAML 1.1 takes for text where they have no point or no sign."""


Keys = tuple[str, ...]
"""The keys that lead to a value, from the outermost."""


def read_mapping(path: Path) -> tuple[dict[str, Any], dict[Keys, int]]:
    """The mapping that a file holds, and the line of each key.

    Raises:
        StudyError: a file that cannot be read, or that is no YAML mapping with keys that are text.
    """
    try:
        import yaml  # noqa: PLC0415 - an extra
    except ImportError:
        raise MissingLibrary("scenarios need PyYAML, which is not installed: pip install 'armdyn[study]'") from None

    class Loader(yaml.SafeLoader):  # type: ignore[misc]
        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                raise yaml.MarkedYAMLError(problem="aliases are not read", problem_mark=self.peek_event().start_mark)
            return super().compose_node(parent, index)

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            seen: set[Any] = set()
            for key, _ in node.value:
                if key.value in seen:
                    raise yaml.MarkedYAMLError(problem=f"{key.value!r} stands twice", problem_mark=key.start_mark)
                seen.add(key.value)
            return super().construct_mapping(node, deep)

    Loader.add_implicit_resolver("tag:yaml.org,2002:float", NUMBER, list("-+.0123456789"))
    try:
        content = path.read_bytes()
        if len(content) > LARGEST:
            raise StudyError(f"{path} has {len(content):,} bytes; expected a scenario of at most {LARGEST:,}")
        loader = Loader(content)
        node = loader.get_single_node()
        lines = dict(_lines(node, ()))
        found = None if node is None else loader.construct_document(node)
    except OSError as error:
        raise StudyError(f"{path} cannot be read: {error.strerror or error}") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f":{mark.line + 1}" if mark is not None else ""
        raise StudyError(f"{path}{place}: {getattr(error, 'problem', None) or error}") from error
    except (ValueError, RecursionError) as error:  # dates that are none; thousands of brackets
        raise StudyError(f"{path} is no YAML that can be read: {error}") from error
    if not isinstance(found, dict) or not all(isinstance(key, str) for key in found):
        raise StudyError(f"{path} holds no scenario; expected lines such as 'robot: ur5'")
    return found, lines


def _lines(node: Any, keys: Keys) -> Iterator[tuple[Keys, int]]:
    """The line of each key of mappings in mappings."""
    if getattr(node, "id", None) == "mapping":
        for key, value in node.value:
            inner = (*keys, str(key.value))
            yield inner, key.start_mark.line + 1
            yield from _lines(value, inner)
