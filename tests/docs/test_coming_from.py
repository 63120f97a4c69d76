"""Every name in the tables of docs/coming_from.md exists, in the other library and here."""

import importlib
import re
from pathlib import Path

import pytest

import armdyn

PAGE = (Path(__file__).parents[2] / "docs" / "coming_from.md").read_text(encoding="utf-8")
LIBRARIES = {"Pinocchio": "pinocchio", "MuJoCo": "mujoco", "Modern Robotics": "modern_robotics"}


def rows(title: str) -> list[tuple[str, str]]:
    """The first two columns of the table under a heading."""
    text = PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]
    return re.findall(r"^\| `([^`]+)` \| `([^`]+)` \|", text, re.MULTILINE)


TITLES = re.findall(r"^## (.*)$", PAGE, re.MULTILINE)


def test_every_library_has_a_table() -> None:
    assert {*TITLES} == {*LIBRARIES, "Robotics Toolbox for Python"}
    assert min(len(rows(title)) for title in TITLES) > 10


@pytest.mark.parametrize("title", LIBRARIES)
def test_names_of_the_other_library(title: str) -> None:
    library = importlib.import_module(LIBRARIES[title])
    missing = [there for there, _ in rows(title) if not hasattr(library, there)]
    assert not missing


@pytest.mark.parametrize("title", TITLES)
def test_names_of_armdyn(title: str) -> None:
    for _, here in rows(title):
        first, *rest = here.split(".")
        found = {"robot": armdyn.Robot, "armdyn": armdyn}[first]
        for part in rest:
            found = getattr(found, part)
        assert found.__doc__, here


def test_tables_of_the_book_and_the_drop_in_have_the_same_names() -> None:
    import armdyn.modern_robotics as mr

    assert all(hasattr(mr, there) for there, _ in rows("Modern Robotics"))
