"""The title, the icon and the layout of the tab that shows a view, or a saved page."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

ICON = (
    "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'><rect width='32' height='32' rx='7' fill='#0072b2'/>"
    "<path d='M8 26V15L19 8l5 8' fill='none' stroke='#fff' stroke-width='3.4' stroke-linejoin='round' "
    "stroke-linecap='round'/><circle cx='8' cy='15' r='3' fill='#e69f00'/><circle cx='19' cy='8' r='3' fill='#e69f00'/>"
    "</svg>"
)
"""An arm of two links, as SVG."""

PHONE = 576
"""Largest width of a window, in pixels, in which viser shows the controls as a sheet at the bottom."""

SHOWN_FOR = 6
"""Time for which a saved page shows the message that no graphics card renders, s."""

STYLE = (
    f"@media (max-width:{PHONE}px){{"
    "[style*='position: fixed'][style*='width: 20em']{width:100%!important;max-height:44%!important}"
    "[style*='position: fixed'][style*='width: 20em'] [style*='width: 20em']{width:100%!important}}"
)
"""The sheet at the bottom over the whole width, below the scene."""

STYLE_OF_PAGES = (
    "@keyframes armdyn-passes{to{opacity:0;visibility:hidden}}"
    f"#webgl-software-rendering{{animation:armdyn-passes .5s {SHOWN_FOR}s forwards}}"
)
"""viser's message that no graphics card renders, which covers the arm until it is closed by hand, passes by itself."""

SCRIPT = """
document.title = TITLE;
document.querySelectorAll("link[rel~=icon]").forEach((link) => { link.href = ICON; });
if (!document.getElementById("armdyn-style")) {
  const style = document.createElement("style");
  style.id = "armdyn-style";
  style.textContent = STYLE;
  document.head.append(style);
}
"""


def name_tab(server: Any, title: str) -> None:
    """Give the tabs of a server a title, armdyn's icon, and a sheet of controls that fits on a phone.

    viser 1.1 has no function for it; its message for scripts, with which it loads Plotly, reaches every browser.

    Args:
        server: the viser server.
        title: title of the tab.
    """
    from viser._messages import RunJavascriptMessage  # noqa: PLC0415 - an extra

    values = {"TITLE": title, "ICON": f"data:image/svg+xml,{quote(ICON)}", "STYLE": STYLE}
    source = SCRIPT
    for name, value in values.items():
        source = source.replace(name, json.dumps(value))
    server.gui._websock_interface.queue_message(RunJavascriptMessage(source=source))


def page_html(serializer: Any, *, dark: bool) -> str:
    """The self-contained page of a recorded scene, whose message on rendering does not stay over the arm.

    Args:
        serializer: viser's, of the scene.
        dark: True for a dark background.
    """
    page: str = serializer.as_html(dark_mode=dark)
    end = page.index("</head>")
    return f"{page[:end]}<style>{STYLE_OF_PAGES}</style>{page[end:]}"
