"""Names of variables in FMI's structured naming convention, and of the model in file names and C."""

from __future__ import annotations

import re

from armdyn.targets.c.names import c_name

_PLAIN = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_DER = re.compile(r"der\((.*)\)")


def structured_name(name: str) -> str:
    """The name, with quotation marks around its parts that are not identifiers.

    >>> structured_name("tool0.payload.mass"), structured_name("wrist-3 link.mass"), structured_name("der(q)")
    ('tool0.payload.mass', "'wrist-3 link'.mass", 'der(q)')
    """
    rate = _DER.fullmatch(name)
    if rate:
        return f"der({structured_name(rate[1])})"
    return ".".join(part if _PLAIN.fullmatch(part) else f"'{_quoted(part)}'" for part in name.split("."))


def element_name(name: str, index: tuple[int, ...]) -> str:
    """The name of an element of an array; the first has the index 1.

    >>> element_name("q", (0,)), element_name("der(q)", (2,)), element_name("tip_pose", (0, 3))
    ('q[1]', 'der(q[3])', 'tip_pose[1,4]')
    """
    if not index:
        return name
    rate = _DER.fullmatch(name)
    if rate:
        return f"der({element_name(rate[1], index)})"
    return f"{name}[{','.join(str(k + 1) for k in index)}]"


def _quoted(part: str) -> str:
    """The text with characters that FMI does not allow between quotation marks replaced by _."""
    plain = part.encode("ascii", "backslashreplace").decode()
    return re.sub(r"[^\w !#$%&()*+,\-./:;<>=?@\[\]^{}|~]", "_", plain, flags=re.ASCII) or "_"


def model_identifier(name: str) -> str:
    """The name of the model's files and functions, different from those of ``sources/``.

    >>> model_identifier("arm-2"), model_identifier("model")
    ('arm_2', 'model_')
    """
    plain = c_name(name)
    return f"{plain}_" if plain in ("model", "fmu") else plain
