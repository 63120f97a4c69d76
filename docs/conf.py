"""Sphinx's configuration; ``make docs`` builds the site into out/docs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import armdyn

if TYPE_CHECKING:
    from sphinx.application import Sphinx

HERE = Path(__file__).parent

project = "armdyn"
author = "the authors of armdyn"
copyright = author
release = version = armdyn.__version__

extensions = ["myst_nb"]
exclude_patterns = ["pictures", "armdyn_docs", "notebooks/downloads"]
root_doc = "index"
nitpicky = True
suppress_warnings: list[str] = []
python_maximum_signature_line_length = 120
toc_object_entries_show_parents = "hide"
add_module_names = False
python_use_unqualified_type_names = True

myst_enable_extensions = ["colon_fence", "fieldlist", "deflist", "attrs_inline", "attrs_block"]
myst_heading_anchors = 4
myst_linkify_fuzzy_links = False

nb_execution_mode = "cache"
nb_execution_cache_path = str(HERE.parent / "build" / "notebooks")
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_execution_in_temp = True
nb_execution_show_tb = True
nb_output_stderr = "error"
nb_merge_streams = True

html_theme = "furo"
html_title = "armdyn"
html_static_path = ["static"]
html_css_files = ["armdyn.css"]
html_copy_source = False
html_show_sphinx = False
html_math_renderer = "mathml"
html_theme_options = {"navigation_with_keys": True, "top_of_page_buttons": []}
pygments_style, pygments_dark_style = "friendly", "monokai"


def setup(app: Sphinx) -> None:
    """Write the reference and the tests' pages, make links of names, run the pages that are notebooks."""
    sys.path.insert(0, str(HERE))
    from armdyn_docs import executed, links, living, mathml, searching, synonyms  # noqa: PLC0415 - they need Sphinx

    mathml.register(app)
    app.add_transform(links.LinkNames)
    app.connect("builder-inited", write_pages)
    app.connect("builder-inited", searching.leave_out_tests)
    app.connect("source-read", synonyms.into_page, priority=400)
    app.connect("source-read", executed.as_notebook)
    app.connect("build-finished", living.write_arm)


def write_pages(app: Sphinx) -> None:
    """Sphinx's event ``builder-inited``: the pages of docstrings and tests stand before Sphinx looks for pages."""
    from armdyn_docs import cited_tests, links, notebooks, reference  # noqa: PLC0415
    from sphinx.errors import ConfigError  # noqa: PLC0415 - this file is read without Sphinx too

    written = reference.Reference()
    reference.write(HERE / "reference", written.pages)
    reference.write(HERE / "notebooks" / notebooks.DOWNLOADS, lambda: notebooks.downloads(HERE))
    try:
        reference.write(HERE / "tests", lambda: cited_tests.pages(HERE))
    except (LookupError, OSError) as error:
        raise ConfigError(f"a page names a test that does not exist: {error}") from error
    app.connect("missing-reference", links.Resolver(written.names, written.annotations))
