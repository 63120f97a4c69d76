"""The seven patterns of language that CONTRIBUTING names do not come back."""

import csv
from pathlib import Path

import pytest

from docs.plain_words import PATTERNS, by_package, counts

LIMITS = Path(__file__).with_name("plain_words.csv")


def test_no_package_has_more_than_it_had() -> None:
    """When a package has been read again, write its lower counts: python tests/docs/plain_words.py."""
    with LIMITS.open(newline="") as file:
        limits = {row.pop("package"): {name: int(value) for name, value in row.items()} for row in csv.DictReader(file)}
    more = [
        f"{package}: {name} {found[name]}, at most {limits.get(package, {}).get(name, 0)}: {PATTERNS[name]}"
        for package, found in by_package().items()
        for name in PATTERNS
        if found[name] > limits.get(package, {}).get(name, 0)
    ]
    assert not more, "\n".join(more)


@pytest.mark.parametrize(
    ("source", "pattern"),
    [
        ('"""Of the accelerations: the last."""', "of"),
        ('"""Whether it moves."""', "clause"),
        ('"""The same in degrees."""', "same"),
        ("x = 1  # where it moves", "where"),
        ('raise ValueError("the file says nothing")', "speaks"),
        ("# what rubs", "home-made"),
        ("found = 1", "participle"),
    ],
)
def test_a_pattern_is_counted_once(source: str, pattern: str, tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(source + "\n")
    assert {name: count for name, count in counts(path).items() if count} == {pattern: 1}
