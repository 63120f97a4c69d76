"""Whether a derivative belongs to its function: its integral is the function's change, by Gauss's quadrature."""

from itertools import pairwise

import numpy as np

NODES, WEIGHTS = np.polynomial.legendre.leggauss(16)


def change_from(derivative, a, b, parts=8):
    """The integral from a to b of a function of an array of times, shape (T,) to (T, ...)."""
    edges = np.linspace(a, b, parts + 1)
    middle, half = (edges[1:] + edges[:-1]) / 2, np.diff(edges) / 2
    values = derivative((middle[:, None] + half[:, None] * NODES).ravel())
    values = values.reshape(parts, len(NODES), *values.shape[1:])
    return np.einsum("k,i,ki...->...", half, WEIGHTS, values)


def assert_is_derivative(function, derivative, switches, *, tolerance=2e-13):
    """On every stretch between switches, and on a part of each that is no round fraction of it."""
    inside = [a + 0.37 * (b - a) for a, b in pairwise(switches)]
    times = np.sort(np.concatenate([switches, inside]))
    for first, last in pairwise(times):
        # inside the stretch by a hair: at a switch, a value belongs to the stretch that begins there
        a, b = first + 1e-13 * (last - first), last - 1e-13 * (last - first)
        ends = function(np.array([a, b]))
        scale = max(1.0, np.abs(ends).max(), np.abs(derivative(np.array([a, b]))).max() * (b - a))
        np.testing.assert_allclose(change_from(derivative, a, b), ends[1] - ends[0], rtol=0, atol=tolerance * scale)
