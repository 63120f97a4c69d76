"""Programs as C99: `to_c` for one, `c_code` for several in one file; `body` prints statements for every dialect."""

from armdyn.base.lazy import names_of

_WHERE = {
    "CCode": "code",
    "CFunction": "functions",
    "Dialect": "dialect",
    "Notes": "notes",
    "c_code": "export",
    "statements": "body",
    "to_c": "export",
}

__getattr__ = names_of(__name__, _WHERE)
