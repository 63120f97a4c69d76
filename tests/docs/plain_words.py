"""Counts of seven patterns of language that readers stumble over, for each package.

``python tests/docs/plain_words.py > tests/docs/plain_words.csv`` writes them. Docstrings, comments and text of messages
are counted, and names for the seventh.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

SOURCES = Path(__file__).parents[2] / "src" / "armdyn"

PATTERNS = {
    "of": "a docstring that begins with a preposition instead of its subject",
    "clause": "a docstring that begins with a what-, whether-, where- or who-clause",
    "same": "a docstring that cannot stand alone: The same ..., See ...",
    "where": "where, behind, beside, is no, is none, in place of if, after, in addition to, is not",
    "speaks": "things that say, tell, ask, hear, mind, know, hang on",
    "home-made": "terms that the field does not have",
    "participle": "participles as names",
}
"""The seven patterns, by rule of CONTRIBUTING."""

_DOCSTRING = {
    "of": re.compile(r"(Of|By|For|From|Behind|Beside|In) (?!default)"),
    "clause": re.compile(r"(What|Whether|Where|Who|How) "),
    "same": re.compile(r"(The same\b|See `)"),
}
_TEXT = {
    "where": re.compile(r"\b(where|behind|beside|is no|is none|are none)\b", re.IGNORECASE),
    "speaks": re.compile(
        r"\b(says?|said|tells?|told|asks?|asked|hears?|heard|minds|knows?|hangs? on|stands? for|comes? to)\b",
        re.IGNORECASE,
    ),
    "home-made": re.compile(
        r"\b(rubs?|doings?|happenings?|what is left|lets? go|turned round|heat lost)\b", re.IGNORECASE
    ),
}
_COMMENT = re.compile(r"(?m)(?:^|  )# (.*)$")
_NAME = re.compile(r"_?(found|made|given|said|kept|asked|resolved|left|wanted|known|shown|taken|lost|held|bent)$")


def counts(path: Path) -> Counter[str]:
    """The occurrences of each pattern in a file."""
    text = path.read_text()
    result: Counter[str] = Counter()
    sentences = _COMMENT.findall(text)
    for node in nodes(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            sentences.append(node.value)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            for name, pattern in _DOCSTRING.items():
                result[name] += bool(pattern.match(node.value.value))
        if name := _name(node):
            result["participle"] += bool(_NAME.fullmatch(name))
    everything = re.sub(r"``.*?``|`.*?`|>>>.*", "", "\n".join(sentences))
    for name, pattern in _TEXT.items():
        result[name] += len(pattern.findall(everything))
    return result


def nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a tree without their contexts, in any order; `ast.walk` takes twice the time."""
    pending = [tree]
    while pending:
        node = pending.pop()
        yield node
        for name in node._fields:
            part = getattr(node, name, None)
            if isinstance(part, list):
                pending += [one for one in part if isinstance(one, ast.AST)]
            elif isinstance(part, ast.AST) and name != "ctx":
                pending.append(part)


def by_package() -> dict[str, Counter[str]]:
    """The occurrences of each pattern, by the packages of armdyn; "." holds the modules beside them."""
    result: dict[str, Counter[str]] = {}
    for path in sorted(SOURCES.rglob("*.py")):
        parts = path.relative_to(SOURCES).parts
        result.setdefault(parts[0] if len(parts) > 1 else ".", Counter()).update(counts(path))
    return result


def _name(node: ast.AST) -> str:
    """The name that a definition or an assignment gives."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return node.name
    return node.id if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else ""


def main() -> None:
    """Print the table as csv."""
    print(",".join(["package", *PATTERNS]))
    for package, found in by_package().items():
        print(",".join([package, *(str(found[name]) for name in PATTERNS)]))


if __name__ == "__main__":
    main()
