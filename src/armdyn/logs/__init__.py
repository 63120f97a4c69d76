"""Logs: recordings of the joints of a robot, from csv, Parquet, npz, MCAP, ROS bags, data frames and arrays.

`read` is the reader of recorded motions for reports, views, torques, identification and the command line: it joins
columns by joint names, converts units, and names in `Log.findings` the rows that it leaves out.
"""

from typing import TYPE_CHECKING

from armdyn.base.lazy import names_of

if TYPE_CHECKING:
    from armdyn.logs.errors import LogError
    from armdyn.logs.log import Finding, Log
    from armdyn.logs.reading import read

_WHERE = {"Finding": "log", "Log": "log", "LogError": "errors", "read": "reading"}

__all__ = ["Finding", "Log", "LogError", "read"]

__getattr__ = names_of(__name__, _WHERE)
