"""The buttons of matplotlib's player as Unicode characters, so that it needs no font from the network."""

from __future__ import annotations

import re

FONT = re.compile(r'<link rel="stylesheet"\s+href="[^"]*font-awesome[^"]*">\s*')
ICON = re.compile(r'<i class="fa fa-([a-z -]+)"></i>')
SYMBOLS = {
    "minus": "-",
    "fast-backward": "⇤",
    "step-backward": "←",
    "play fa-flip-horizontal": "◀",
    "pause": "❚❚",
    "play": "▶",
    "step-forward": "→",
    "fast-forward": "⇥",
    "plus": "+",
}
"""Unicode symbols by name of the icon."""


def self_contained(html: str) -> str:
    """The player without its link to a font; an icon without a symbol shows its name.

    >>> from armdyn.plots.player_symbols import self_contained
    >>> self_contained('<button title="Play"><i class="fa fa-play"></i></button>')
    '<button title="Play">▶</button>'
    """
    return ICON.sub(lambda icon: SYMBOLS.get(icon[1], icon[1]), FONT.sub("", html))
