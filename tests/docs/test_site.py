"""The documentation site: its configuration loads, every page is in a table of contents, names have one meaning."""

import importlib
import importlib.util
import inspect
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import armdyn

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = {page.stem for page in DOCS.glob("*.md")} - {"index"}
HAS_SPHINX = importlib.util.find_spec("sphinx") is not None and importlib.util.find_spec("myst_nb") is not None

sys.path.insert(0, str(DOCS))
try:
    cited_tests, docstrings, executed, public_names = (
        importlib.import_module(f"armdyn_docs.{name}")
        for name in ("cited_tests", "docstrings", "executed", "public_names")
    )
finally:
    sys.path.remove(str(DOCS))


def listed() -> list[str]:
    """What the tables of contents of the first page list."""
    text = (DOCS / "index.md").read_text(encoding="utf-8")
    tables = re.findall(r"^```\{toctree\}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [line for table in tables for line in table.splitlines() if line and not line.startswith(":")]


def test_every_page_is_in_a_table_of_contents_once() -> None:
    pages = [name for name in listed() if "/" not in name]
    assert len(pages) == len({*pages})
    assert {*pages} == PAGES
    written_by_the_build = {"reference/index", "tests/index"}
    assert {name for name in listed() if "/" in name} == {"notebooks/index", *written_by_the_build}


def test_pages_that_are_executed_exist() -> None:
    assert {*executed.EXECUTED} <= PAGES


def test_page_becomes_a_notebook() -> None:
    source = ["# Title\n\nText.\n\n```python\n1 + 1\n```\n"]
    executed.as_notebook(None, "gallery", source)
    assert source[0].startswith("---\nfile_format: mystnb\n")
    assert source[0].index("# Title") < source[0].index("%matplotlib inline") < source[0].index("Text.")
    assert source[0].endswith("```{code-cell} python\n1 + 1\n```\n")
    other = ["# Title\n\n```python\n1 + 1\n```\n"]
    executed.as_notebook(None, "arrays", other)
    assert other == ["# Title\n\n```python\n1 + 1\n```\n"]


def test_every_package_with_public_names_has_a_page() -> None:
    # internals; verbs; what Robot's methods are; names of armdyn.simulation
    without = {"base", "cli", "formats", "motion", "robot", "robots", "targets"}
    packages = {f"armdyn.{path.parent.name}" for path in (ROOT / "src" / "armdyn").glob("*/__init__.py")}
    pages = {package for package in public_names.PAGES if package != "armdyn"}
    assert pages - {"armdyn.task_space"} == packages - {f"armdyn.{name}" for name in without}


def test_names_in_docstrings_mean_something() -> None:
    """What the build warns of, without Sphinx: names in single backticks of Robot's methods."""
    names = public_names.all_names()
    assert names.place("armdyn.simulation.Trajectory", armdyn.Trajectory) == "armdyn.Trajectory"
    for name in [name for name in dir(armdyn.Robot) if name[0] != "_"]:
        value = getattr(armdyn.Robot, name)
        module = (
            getattr(inspect.unwrap(value) if callable(value) else value, "__module__", None) or "armdyn.robot.robot"
        )

        def link(text: str, name: str = name, value: object = value, module: str = module) -> str:
            plain = text.removesuffix("()")
            parameters = [*inspect.signature(value).parameters] if callable(value) else []
            known = plain in parameters or not re.fullmatch(r"[A-Za-z_][\w.]*", plain)
            known = known or plain.split(".")[0] in public_names.OPTIONAL or names.ending(plain)
            assert known or public_names.meaning(plain, module, "armdyn.Robot"), f"Robot.{name} names `{text}`"
            return text

        docstrings.as_markdown(inspect.getdoc(value) or "", link, str)


def test_docstring_becomes_markdown() -> None:
    text = """Torque tau.

    See `other`, ``code``.

    Args:
        q: positions, rad,
            shape (n,).
        **more: as `other` has.

    Raises:
        ShapeError: wrong.

    >>> 1 + 1
    2
    """
    lines = docstrings.as_markdown(text, lambda name: f"[{name}]", lambda name: f"armdyn.{name}")
    assert "See [other], ``code``." in lines
    assert ":param q: positions, rad, shape (n,)." in lines
    assert ":raises ~armdyn.ShapeError: wrong." in lines
    assert lines[lines.index("```pycon") :][:4] == ["```pycon", ">>> 1 + 1", "2", "```"]


def test_cited_tests_are_shown_with_their_decorators(tmp_path: Path) -> None:
    file = tmp_path / "test_it.py"
    file.write_text("import pytest\n\n\n@pytest.mark.slow\ndef test_a():\n    assert 1\n\n\ndef test_b():\n    pass\n")
    assert cited_tests.source(file, "test_a") == "@pytest.mark.slow\ndef test_a():\n    assert 1"
    with pytest.raises(LookupError, match=r"test_it\.py has no test 'test_c'"):
        cited_tests.source(file, "test_c")
    assert len(cited_tests.cited(DOCS)) > 100


def test_configuration_loads() -> None:
    configuration = runpy.run_path(str(DOCS / "conf.py"))
    assert configuration["nitpicky"]
    assert configuration["version"] == armdyn.__version__
    assert not {name for name in configuration if name.startswith("nitpick_ignore")}  # nothing is left out
    assert not configuration["suppress_warnings"]
    assert all((DOCS / folder).is_dir() for folder in configuration["html_static_path"])


@pytest.mark.slow
@pytest.mark.skipif(not HAS_SPHINX, reason="needs the extra docs: make docs")
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", "-d", str(tmp_path / "trees"), str(DOCS)]
    done = subprocess.run([*command, str(tmp_path / "site")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "site" / "equations.html").read_text(encoding="utf-8")
    assert 'href="reference/armdyn.Robot.html#armdyn.Robot.mass_matrix"' in page
    assert re.search(r'href="tests/\w+\.html#test-', page)
    assert (tmp_path / "site" / "notebooks" / "ur5_falls.html").exists()
    assert {file.name for file in (tmp_path / "site" / "_downloads").rglob("*.ipynb")} >= {"ur5_falls.ipynb"}
