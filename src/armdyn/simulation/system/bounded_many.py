"""Bounded forces p that hold joints at rest (boxed LCP), for many states at once, by block principal pivoting.

With w = W p + b and W = M^-1 of the joints at rest,

    w_i = 0 if low_i < p_i < high_i,  w_i <= 0 if p_i = high_i,  w_i >= 0 if p_i = low_i.

W is positive definite, so there is one p. Guess the active set, i.e. each force free, at the low or at the high
bound; solve; change the guesses that the solution contradicts: all of them as long as they become fewer, else the first
alone, which terminates for every such W (Murty 1974; Judice and Pires 1994).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armdyn.simulation.system.at_rest import MOVES
from armdyn.spatial.rotations import Array

MOST_PIVOTS = 60
"""States that would take more are left to the least-squares solution, one by one."""

AT_ONCE = 10
"""Consecutive times that all contradicted guesses may be changed without becoming fewer."""

SOLVED = 1e-9
"""A condition holds if its residual, over |W_i| |p| + |b|, is below this."""


class Solved(NamedTuple):
    """Forces p and accelerations w, (states, n), and success, (states,)."""

    p: Array
    w: Array
    found: Array


def bounded_forces(W: Array, b: Array, low: Array, high: Array, rests: Array) -> Solved:
    """Solve the problem above.

    Args:
        W: shape (states, n, n).
        b: the accelerations without p, shape (states, n).
        low: least forces, shape (states, n).
        high: largest forces.
        rests: true of the joints that have a force, shape (states, n); that of the others is zero.
    """
    guess, fewest = np.zeros(b.shape, dtype=int), np.full(len(b), b.shape[-1] + 1)
    patience, found = np.full(len(b), AT_ONCE), np.zeros(len(b), dtype=bool)
    p, w = np.zeros_like(b), b.copy()
    for _ in range(MOST_PIVOTS):
        todo = np.flatnonzero(~found)
        if not len(todo):
            break
        p[todo], w[todo] = _solved(W[todo], b[todo], low[todo], high[todo], rests[todo], guess[todo])
        after = _better(p[todo], w[todo], low[todo], high[todo], rests[todo], guess[todo])
        wrong = after != guess[todo]
        many = wrong.sum(axis=-1)
        found[todo] = many == 0
        patience[todo] = np.where(many < fewest[todo], AT_ONCE, patience[todo] - 1)
        fewest[todo] = np.minimum(many, fewest[todo])
        first = np.arange(b.shape[-1]) == wrong.argmax(axis=-1)[:, None]
        guess[todo] = np.where(wrong & ((patience[todo] > 0)[:, None] | first), after, guess[todo])
    return Solved(p, w, found & _holds(W, b, p, w, low, high, rests))


def _solved(W: Array, b: Array, low: Array, high: Array, rests: Array, guess: Array) -> tuple[Array, Array]:
    """p and w of a guess: 0 of free forces, else the side of the bound."""
    free = rests & (guess == 0)
    p = np.where(rests & (guess != 0), np.where(guess > 0, high, low), 0.0)
    among = free[:, :, None] & free[:, None, :]
    rest = np.where(free, -(b + np.einsum("sij,sj->si", W, p)), 0.0)
    p = p + np.linalg.solve(np.where(among, W, np.eye(b.shape[-1])), rest[..., None])[..., 0]
    w = b + np.einsum("sij,sj->si", W, p)
    return p, np.where(free, 0.0, w)


def _better(p: Array, w: Array, low: Array, high: Array, rests: Array, guess: Array) -> Array:
    """The active set with the contradicted guesses changed."""
    freed = np.where((guess > 0) & (w > 0), 0, np.where((guess < 0) & (w < 0), 0, guess))
    bound = np.where(p > high, 1, np.where(p < low, -1, 0))
    return np.where(rests, np.where(guess == 0, bound, freed), 0)


def _holds(W: Array, b: Array, p: Array, w: Array, low: Array, high: Array, rests: Array) -> Array:
    """True if p and w satisfy the complementarity conditions to rounding, by the residual p - clip(p - w/W_ii)."""
    diagonal = np.einsum("sii->si", W)
    exact = b + np.einsum("sij,sj->si", W, p)
    residual = np.abs(p - np.clip(p - exact / diagonal, low, high))
    size = (np.einsum("sij,sj->si", np.abs(W), np.abs(p)) + np.abs(b)) / diagonal
    holds: Array = np.all(~rests | (residual <= SOLVED * size), axis=-1)
    return holds


class Kinds(NamedTuple):
    """Directions of slip, 1, -1, or 0 for joints that stick, (states, n), and success, (states,)."""

    slip: Array
    found: Array


def sticks_or_slips(W: Array, b: Array, slip: Array, rests: Array, bounds: tuple[Array, ...]) -> Kinds:
    """Modes of joints that rest, stick or a direction of slip, for many states (`armdyn.simulation.system.at_rest`).

    Args:
        W: M^-1, shape (states, n, n).
        b: accelerations without the friction of the joints that rest, shape (states, n).
        slip: directions of the others.
        rests: true of the joints that rest.
        bounds: low and high at rest, low and high of a joint that begins to slip, shape (n,) each.
    """
    low, high, low_sliding, high_sliding = (np.broadcast_to(bound, b.shape) for bound in bounds)
    kinetic, found = np.zeros(b.shape, dtype=bool), np.ones(len(b), dtype=bool)
    size = _sizes(W, b, rests)
    while True:
        own = np.where(kinetic, low_sliding, low), np.where(kinetic, high_sliding, high)
        _, w, solved = bounded_forces(W, b, *own, rests)
        found &= solved
        moves = rests & (np.abs(w) > MOVES * size)
        if not (moves & ~kinetic).any():
            break
        kinetic |= moves
    return Kinds(np.where(rests, np.where(moves, np.sign(w), 0.0), slip), found)


def _sizes(W: Array, b: Array, rests: Array) -> Array:
    """Scale of the accelerations of the joints that rest, sqrt(W_ii b^T W^-1 b)."""
    among = rests[:, :, None] & rests[:, None, :]
    own = np.where(rests, b, 0.0)
    inverse = np.linalg.solve(np.where(among, W, np.eye(b.shape[-1])), own[..., None])[..., 0]
    sizes: Array = np.sqrt(np.einsum("sii->si", W) * np.maximum((own * inverse).sum(axis=-1), 0.0)[:, None])
    return sizes
