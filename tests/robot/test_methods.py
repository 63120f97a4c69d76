"""Methods of `Robot` show what they take, and are found where they are needed, not before."""

from __future__ import annotations

import ast
import importlib
import inspect
import pickle
import pydoc
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn.base.imported import Imported
from armdyn.declaration import Function
from armdyn.robot.imported import ImportedReader

IMPORTED = {
    name: method
    for name, method in vars(armdyn.Robot).items()
    if isinstance(method, Imported) and not isinstance(method, ImportedReader)
}


@pytest.mark.parametrize("name", [name for name in dir(armdyn.Robot) if not name.startswith("_")])
def test_no_method_hides_its_parameters(name: str) -> None:
    """Only what takes any function has options without names: that function's."""
    method = getattr(armdyn.Robot, name)
    if not callable(method) or name in ("program", "to_c"):
        return
    kinds = {p.kind for p in inspect.signature(method).parameters.values()}
    assert inspect.Parameter.VAR_KEYWORD not in kinds
    assert method.__doc__


def test_a_method_is_the_function_with_the_robot_bound() -> None:
    assert len(IMPORTED) > 30
    robot = armdyn.load("planar_2r")
    for name, method in IMPORTED.items():
        assert getattr(armdyn.Robot, name) is method.function
        of_function = list(inspect.signature(method.function).parameters.values())
        of_method = list(inspect.signature(getattr(robot, name)).parameters.values())
        assert (of_function[0].name, of_function[1:]) == ("robot", of_method)
        assert method.__doc__ == method.function.__doc__


def test_a_reader_of_models_is_bound_to_the_class() -> None:
    for reads, name in (("dh.read_dh", "from_dh"), ("urdf.read_urdf", "from_urdf")):
        module, function = reads.split(".")
        read = getattr(getattr(armdyn.formats, module), function)
        method = getattr(armdyn.Robot, name)
        parameters = inspect.signature(read).parameters
        assert list(inspect.signature(method).parameters.values()) == list(parameters.values())
        assert method.__doc__ == read.__doc__
        assert pickle.loads(pickle.dumps(method)) == method  # noqa: S301


def test_help_shows_parameters_and_documentation() -> None:
    text = pydoc.plain(pydoc.render_doc(armdyn.load("planar_2r").inverse_kinematics))
    assert "choose: \"Literal['first', 'nearest']\" = 'first'" in text
    assert "damped least squares" in text
    assert "rank_tolerance" in pydoc.plain(pydoc.render_doc(armdyn.Robot.force_projection))


def test_methods_of_the_class_show_what_a_call_takes() -> None:
    """The robot first, then the parameters of the method of a robot; with these a call runs."""
    robot = armdyn.load("planar_2r")
    methods = [name for name in dir(armdyn.Robot) if isinstance(getattr(armdyn.Robot, name), Function)]
    assert len(methods) > 50
    for name in methods:
        function = getattr(armdyn.Robot, name)
        first, *others = inspect.signature(function).parameters.values()
        assert (first.name, first.annotation, first.kind) == ("robot", "Robot", first.POSITIONAL_ONLY), name
        if name.startswith("_") or not armdyn.Robot.__dict__[name].fits(robot):
            continue
        bound = list(inspect.signature(getattr(robot, name)).parameters)
        assert [p.name for p in others if p.kind is not p.KEYWORD_ONLY] == bound[: len(function.arguments)]
    q, qd = np.array([0.3, -0.4]), np.array([1.0, 0.5])
    call = inspect.signature(armdyn.Robot.kinetic_energy).bind(robot, q, qd=qd)
    energy = armdyn.Robot.kinetic_energy(*call.args, **call.kwargs)
    np.testing.assert_allclose(float(energy), robot.kinetic_energy(q, qd), rtol=1e-14)
    assert "mechanism:" not in str(inspect.signature(armdyn.algorithms.mass_matrix))


def test_methods_pickle_by_name() -> None:
    robot = pickle.loads(pickle.dumps(armdyn.load("planar_2r").with_tip))("link_1")  # noqa: S301
    assert robot.tip == "link_1"


def test_nothing_of_them_is_imported_before() -> None:
    code = """
        import sys, armdyn
        robot = armdyn.load("planar_2r")
        late = ("kinematics", "constraints", "task_space", "identification", "robot.editing", "robot.locking")
        print([name for name in late if f"armdyn.{name}" in sys.modules])
    """
    done = subprocess.run([sys.executable, "-c", inspect.cleandoc(code)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_packages_on_the_way_to_a_method_import_their_modules_when_they_are_asked_for() -> None:
    """Methods name their function by its module, whichever module was imported first."""
    tree = ast.parse(Path(inspect.getfile(armdyn.Robot)).read_text(encoding="utf-8"))
    names = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    modules = [name for name in names if name.startswith("armdyn.")]
    assert "armdyn.identification.identifiability.base_parameters" in modules
    for name in modules:
        package = name.rpartition(".")[0]
        assert hasattr(importlib.import_module(package), "__getattr__"), name
