"""Everything the package offers is here, under the same name, with the same arguments in the same order."""

import inspect
import subprocess
import sys

import modern_robotics

import armdyn.modern_robotics as mr
from armdyn.modern_robotics import core

NAMES = [name for name in dir(modern_robotics) if not name.startswith("_") and name != "print_function"]
FUNCTIONS = [name for name in NAMES if inspect.isfunction(getattr(modern_robotics, name))]


def test_the_package_has_what_is_compared() -> None:
    assert len(FUNCTIONS) == 47


def test_names_are_here() -> None:
    for name in NAMES:
        assert name in mr.__all__
        assert hasattr(mr, name), name
        assert name == "core" or getattr(core, name) is getattr(mr, name), name


def test_arguments_have_the_same_names_and_order() -> None:
    for name in FUNCTIONS:
        theirs = inspect.signature(getattr(modern_robotics, name)).parameters
        ours = inspect.signature(getattr(mr, name)).parameters
        assert list(ours) == list(theirs), name
        assert [p.default for p in ours.values()] == [p.default for p in theirs.values()], name


def test_every_function_and_argument_is_documented() -> None:
    for name in FUNCTIONS:
        function = getattr(mr, name)
        text = inspect.getdoc(function)
        assert text.splitlines()[0].endswith((".", "only.")), name
        for argument in inspect.signature(function).parameters:
            assert f"\n    {argument}: " in text, (name, argument)


def test_star_import_gives_the_names_a_program_counts_on() -> None:
    code = "from armdyn.modern_robotics import *; print(np.pi > 3, InverseDynamics.__name__, core.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "InverseDynamics", "armdyn.modern_robotics.core"]


def test_importing_is_light() -> None:
    """No compiler and no plotting before they are needed."""
    code = "import sys, armdyn.modern_robotics; print([m for m in ('llvmlite', 'matplotlib') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
