"""Live pages: a robot in one HTML file that computes with its own WebAssembly, without server and network.

`to_page` is ``robot.to_page()`` and ``armdyn page``. `functions` chooses what the WebAssembly computes, `scene` what is
drawn, `findings`, `tables` and `equations` say what is told of the robot, `assembly` puts the file together from the
style sheet and scripts in ``template``.
"""

from armdyn.page.errors import PageError
from armdyn.page.page import Page, to_page

__all__ = ["Page", "PageError", "to_page"]
