"""Structural and numeric mutations of an XML tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from random import Random
from xml.etree.ElementTree import Element

from fuzz import numbers

JUNK = (
    "",
    " ",
    "x",
    "remark",
    "\u00e9",
    "a b",
    "'",
    "a" * 300,
    "${x}",
    "$(find d)/m",
    "%s%n",
    "../../x",
    "world",
    "0",
    "None",
)


@dataclass(frozen=True)
class Words:
    """The vocabulary of a format.

    Args:
        tags: of elements.
        attributes: of elements.
        values: that are words, by attribute.
        references: the attributes that hold names.
        pieces: whole elements that may be put in.
    """

    tags: Sequence[str]
    attributes: Sequence[str]
    values: dict[str, Sequence[str]]
    references: frozenset[str]
    pieces: Sequence[str]


def mutate(root: Element, rng: Random, words: Words, make: Callable[[str], Element]) -> None:
    """Change one thing; ``make`` reads an element from its text."""
    _Mutation(root, rng, words, make).once()


class _Mutation:
    def __init__(self, root: Element, rng: Random, words: Words, make: Callable[[str], Element]) -> None:
        self.root, self.rng, self.words, self.make = root, rng, words, make
        self.all = list(root.iter())

    def once(self) -> None:
        pick, weights = self.rng.random(), 0.0
        for weight, operation in self._operations:
            weights += weight
            if pick < weights:
                operation()
                return

    @property
    def _operations(self) -> Sequence[tuple[float, Callable[[], None]]]:
        return (
            (0.40, self.change_number),
            (0.08, self.change_reference),
            (0.06, self.change_word),
            (0.06, self.delete_attribute),
            (0.05, self.add_attribute),
            (0.03, self.rename_attribute),
            (0.03, self.swap_values),
            (0.06, self.delete_element),
            (0.06, self.double_element),
            (0.05, self.move_element),
            (0.05, self.insert_piece),
            (0.03, self.rename_element),
            (0.02, self.swap_siblings),
            (0.01, self.write_text),
            (1.00, self.wrap_element),
        )

    def anywhere(self) -> Element:
        return self.rng.choice(self.all)

    def parent(self) -> Element:
        """One that has children."""
        return self.rng.choice([e for e in self.all if len(e)] or [self.root])

    def with_attributes(self) -> Element:
        return self.rng.choice([e for e in self.all if e.attrib] or [self.root])

    def change_number(self) -> None:
        found = [(e, key) for e in self.all for key, value in e.attrib.items() if numbers.looks_numeric(value)]
        if found:
            element, key = self.rng.choice(found)
            element.set(key, numbers.changed(element.attrib[key], self.rng))

    def change_reference(self) -> None:
        names = [e.attrib[key] for e in self.all for key in e.attrib if key in self.words.references]
        found = [(e, key) for e in self.all for key in e.attrib if key in self.words.references]
        if found:
            element, key = self.rng.choice(found)
            element.set(key, self.rng.choice(names) if self.rng.random() < 0.7 else self.rng.choice(JUNK))

    def change_word(self) -> None:
        found = [(e, key) for e in self.all for key in e.attrib if key in self.words.values]
        if found:
            element, key = self.rng.choice(found)
            element.set(key, self.rng.choice((*self.words.values[key], *self.words.values[key], *JUNK)))

    def delete_attribute(self) -> None:
        element = self.with_attributes()
        if element.attrib:
            del element.attrib[self.rng.choice(list(element.attrib))]

    def add_attribute(self) -> None:
        key = self.rng.choice(self.words.attributes) if self.rng.random() < 0.8 else "remark"
        self.anywhere().set(key, self.value_for(key))

    def value_for(self, key: str) -> str:
        if key in self.words.values and self.rng.random() < 0.8:
            return self.rng.choice(self.words.values[key])
        if self.rng.random() < 0.7:
            return numbers.shown([numbers.plain(self.rng) for _ in range(self.rng.choice((1, 1, 3, 3, 4, 6)))])
        return self.rng.choice((*JUNK, *numbers.ODD))

    def rename_attribute(self) -> None:
        element = self.with_attributes()
        if element.attrib:
            key = self.rng.choice(list(element.attrib))
            new = self.rng.choice((*self.words.attributes, key + "s", key[:-1] or "x", key.upper()))
            element.set(new, element.attrib.pop(key))

    def swap_values(self) -> None:
        one, other = self.with_attributes(), self.with_attributes()
        if one.attrib and other.attrib:
            a, b = self.rng.choice(list(one.attrib)), self.rng.choice(list(other.attrib))
            one.attrib[a], other.attrib[b] = other.attrib[b], one.attrib[a]

    def delete_element(self) -> None:
        parent = self.parent()
        if len(parent):
            del parent[self.rng.randrange(len(parent))]

    def double_element(self) -> None:
        parent = self.parent()
        if len(parent):
            child = deepcopy(parent[self.rng.randrange(len(parent))])
            place = parent if self.rng.random() < 0.7 else self.anywhere()
            place.insert(self.rng.randrange(len(place) + 1), child)

    def move_element(self) -> None:
        parent = self.parent()
        if len(parent):
            child = parent[self.rng.randrange(len(parent))]
            inside = set(child.iter())
            places = [e for e in self.all if e not in inside]
            parent.remove(child)
            place = self.rng.choice(places)
            place.insert(self.rng.randrange(len(place) + 1), child)

    def insert_piece(self) -> None:
        place = self.anywhere()
        place.insert(self.rng.randrange(len(place) + 1), self.make(self.rng.choice(self.words.pieces)))

    def rename_element(self) -> None:
        element = self.anywhere()
        tag = str(element.tag)
        element.tag = self.rng.choice((*self.words.tags, tag + "s", tag[:-1] or "x", tag.capitalize(), "remark"))

    def swap_siblings(self) -> None:
        parent = self.parent()
        if len(parent) > 1:
            i, j = self.rng.sample(range(len(parent)), 2)
            parent[i], parent[j] = parent[j], parent[i]

    def write_text(self) -> None:
        self.anywhere().text = self.rng.choice((*JUNK, *numbers.ODD))

    def wrap_element(self) -> None:
        parent = self.parent()
        if len(parent):
            k = self.rng.randrange(len(parent))
            outer = Element(self.rng.choice((*self.words.tags, "remark")))
            outer.append(parent[k])
            parent[k] = outer
