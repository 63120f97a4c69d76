"""Live pages: a robot in one HTML file that computes with its own WebAssembly, without server and network.

`to_page` is ``robot.to_page()`` and ``armdyn page``. `functions` defines the WebAssembly functions, `scene` the
drawing, `findings`, `tables` and `equations` the texts on the robot, `assembly` builds the file from the style sheet
and scripts in ``template``. `motion_page` is ``trajectory.page()``: `motion_content` contains its charts and numbers,
uPlot draws them. `doctor` is the page of a description's findings.
"""

from typing import TYPE_CHECKING

from armdyn.base.lazy import names_of

if TYPE_CHECKING:
    from armdyn.page.doctor import doctor_page
    from armdyn.page.errors import PageError
    from armdyn.page.motion_page import MotionPage, motion_page
    from armdyn.page.page import Page, to_page

_WHERE = {
    "MotionPage": "motion_page",
    "Page": "page",
    "PageError": "errors",
    "doctor_page": "doctor",
    "motion_page": "motion_page",
    "to_page": "page",
}

__all__ = ["MotionPage", "Page", "PageError", "doctor_page", "motion_page", "to_page"]

__getattr__ = names_of(__name__, _WHERE)
