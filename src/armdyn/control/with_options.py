"""A controller with its options chosen: frames, components."""

from __future__ import annotations

from functools import partial
from typing import Any

from armdyn.base.errors import UnknownName
from armdyn.declaration import Function, MadeFunction


def with_options(controller: Function, **options: object) -> Function:
    """The controller with other defaults of its options, and the sizes of its arrays that follow from them.

    Args:
        controller: any declared function with keyword-only options.
        options: by name.

    Raises:
        UnknownName: an option that it does not have.

    >>> reach = armdyn.control.with_options(armdyn.control.operational_space, components=("vx", "vy"))
    >>> reach.options["components"]
    ('vx', 'vy')
    """
    for name in options:
        if name not in controller.options:
            raise UnknownName.of("option", name, controller.options, controller.name)

    def run(model: object, *arrays: object, **settings: Any) -> Any:
        return controller(model, *arrays, **{**options, **settings})

    run.__name__ = run.__qualname__ = controller.name
    run.__module__, run.__doc__ = controller.implementation.__module__, controller.__doc__
    sizes = {word: _with_defaults(size, options) for word, size in controller.sizes.items()}
    choices = {word: _with_defaults(choice, options) for word, choice in controller.choices.items()}
    result = partial(with_options, controller, **options)
    return MadeFunction(
        run, controller.name, controller.signature, controller.arguments, controller.outputs,
        {**controller.options, **options}, controller.result, sizes, choices, result, gains=controller.gains,
    )  # fmt: skip


def _with_defaults(function: Any, options: dict[str, Any]) -> Any:
    return lambda model, **given: function(model, **{**options, **given})
