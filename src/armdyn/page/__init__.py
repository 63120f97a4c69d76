"""Live pages: a robot in one HTML file that computes with its own WebAssembly, without server and network.

`to_page` is ``robot.to_page()`` and ``armdyn page``. `functions` chooses what the WebAssembly computes, `scene` what is
drawn, `findings`, `tables` and `equations` say what is told of the robot, `assembly` puts the file together from the
style sheet and scripts in ``template``.
"""

from typing import TYPE_CHECKING

from armdyn.lazy import names_of

if TYPE_CHECKING:
    from armdyn.page.errors import PageError
    from armdyn.page.page import Page, to_page

_WHERE = {"Page": "page", "PageError": "errors", "to_page": "page"}

__all__ = ["Page", "PageError", "to_page"]

__getattr__ = names_of(__name__, _WHERE)
