"""Lists of arms as Modern Robotics has them: Mlist, Glist, Slist, of general values and of every kind of joint."""

from typing import NamedTuple

import modern_robotics as mr
import numpy as np


class Lists(NamedTuple):
    M: np.ndarray
    G: np.ndarray
    S: np.ndarray

    @property
    def home(self) -> np.ndarray:
        """The end-effector's home pose."""
        return np.linalg.multi_dot([np.eye(4), np.eye(4), *self.M])


def pose(rng: np.random.Generator) -> np.ndarray:
    return mr.MatrixExp6(mr.VecTose3(rng.normal(size=6)))


def body_inertia(rng: np.random.Generator) -> np.ndarray:
    """The spatial inertia of a body about its centre of mass, in general axes."""
    A, mass = rng.normal(size=(3, 3)), rng.uniform(1.0, 4.0)
    second = A @ A.T
    G = mass * np.eye(6)
    G[:3, :3] = np.trace(second) * np.eye(3) - second
    return G


def screw(kind: str, rng: np.random.Generator) -> np.ndarray:
    """R turns, P slides, H does both, r and p are of general length."""
    w, p = rng.normal(size=(2, 3))
    length, w = np.linalg.norm(w), w / np.linalg.norm(w)
    pitch = 0.3 if kind == "H" else 0.0
    axis = np.array([0, 0, 0, *w]) if kind in "Pp" else np.array([*w, *(np.cross(p, w) + pitch * w)])
    return axis * (length if kind.islower() else 1.0)


def general_lists(kinds: str, seed: int = 0) -> Lists:
    rng = np.random.default_rng(seed)
    M = np.array([pose(rng) for _ in range(len(kinds) + 1)])
    G = np.array([body_inertia(rng) for _ in kinds])
    return Lists(M, G, np.array([screw(kind, rng) for kind in kinds]).T)


BOOK = Lists(
    M=np.array([
        [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0.089159], [0, 0, 0, 1]],
        [[0, 0, 1, 0.28], [0, 1, 0, 0.13585], [-1, 0, 0, 0], [0, 0, 0, 1]],
        [[1, 0, 0, 0], [0, 1, 0, -0.1197], [0, 0, 1, 0.395], [0, 0, 0, 1]],
        [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0.14225], [0, 0, 0, 1]],
    ]),
    G=np.array([
        np.diag([0.010267, 0.010267, 0.00666, 3.7, 3.7, 3.7]),
        np.diag([0.22689, 0.22689, 0.0151074, 8.393, 8.393, 8.393]),
        np.diag([0.0494433, 0.0494433, 0.004095, 2.275, 2.275, 2.275]),
    ]),
    S=np.array([[1, 0, 1, 0, 1, 0], [0, 1, 0, -0.089, 0, 0], [0, 1, 0, -0.089, 0, 0.425]], dtype=float).T,
)  # fmt: skip
"""The three links that the documentation of the book's code works with; the first axis has length sqrt(2)."""


def with_wild_inertias(lists: Lists, seed: int = 5) -> Lists:
    """Six by six numbers that no body has: not symmetric, not positive."""
    return lists._replace(G=lists.G + 0.2 * np.random.default_rng(seed).normal(size=lists.G.shape))


def rounded(lists: Lists, digits: int) -> Lists:
    """As a book prints them: rotations that are none to the last digit, axes of length 0.999."""
    return Lists(*(np.round(array, digits) for array in lists))


def massless(lists: Lists, link: int) -> Lists:
    return lists._replace(G=lists.G * (np.arange(len(lists.G)) != link)[:, None, None])


CASES: dict[str, Lists] = {
    "book": BOOK,
    "one turning": general_lists("R", 1),
    "one sliding": general_lists("P", 2),
    "turning": general_lists("RRRRRR", 3),
    "turning and sliding": general_lists("RPRPPR", 4),
    "of any length": general_lists("rprRrpP", 5),
    "with pitch": general_lists("RHPHr", 6),
    "wild inertias": with_wild_inertias(general_lists("RRPR", 7)),
    "rounded to 3 digits": rounded(general_lists("RRPRR", 8), 3),
    "massless link": massless(general_lists("RRR", 9), 1),
    "massless last link": massless(general_lists("RRR", 9), 2),
    "an axis of zeros": general_lists("RRR", 10)._replace(S=general_lists("RRR", 10).S * np.array([1, 0, 1])),
    "twelve joints": general_lists("RPRRrRPRHRRR", 11),
}
