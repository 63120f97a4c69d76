"""Single states go straight to machine code: the one place in which `CompiledFunction.__call__` is replaced.

At the first call of any compiled function in a process, when its kernel exists, `put_in_front` assigns a C function to
``__call__`` of the class (`armdyn.targets.native.direct`). From then on a call that is one state's plain float64 arrays
``__call__`` of the class (`armdyn.targets.native.direct`). From then on a call with one state's plain float64 arrays by
position, with ``out=`` or without, goes from C to the kernel and back; every other call reaches the Python ``__call__``
unchanged. So single states do not reach a breakpoint there, unless the environment variable ``ARMDYN_NATIVE`` turns the
flag ``direct`` off (`armdyn.targets.native`), which leaves the Python ``__call__`` in place: with equal results, a
microsecond later.

The arguments of the C function are in the attribute `RECORDS` of each compiled function, which starts as `NO_RECORDS`.
"""

from __future__ import annotations

from armdyn.base.threads import Once
from armdyn.targets.kernels import Kernel
from armdyn.targets.native import direct

RECORDS = "_records"
NO_RECORDS = direct.NO_RECORDS

_in_front: Once[type, bool] = Once()


def record(function: type, kernel: Kernel, result: type[object] | None) -> bytes:
    """The record by which the C function, now before ``function.__call__``, calls a kernel; empty if it cannot.

    ``result`` is the type of the named tuple of results, None if they have no names.
    """
    container = result or (None if kernel.for_float64.nout == 1 else _several)
    results = direct.record(kernel.for_float64, container)
    return results if results and _in_front.get(function, lambda: put_in_front(function, kernel)) else b""


def put_in_front(function: type, kernel: Kernel) -> bool:
    """Assign the C function to ``function.__call__``; False if the platform has none."""
    in_c = direct.call_method(function.__call__, RECORDS, kernel.for_float64)
    if in_c is not None:
        function.__call__ = in_c  # type: ignore[method-assign]
    return in_c is not None


def _several(*results: object) -> tuple[object, ...]:
    return results
