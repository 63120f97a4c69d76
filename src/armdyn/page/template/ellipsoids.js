/* The tip's ellipsoids, of its linear velocity: semi-axes, and directions in base axes. */

const FLAT = 1e-7; // of the largest: what counts as zero

/** Rows of the Jacobian of the tip's linear velocity in base axes. */
const linearRows = (J, n) => [3, 4, 5].map((row) => Array.from(J.subarray(row * n, row * n + n)));

const gram = (rows, others) => rows.map((a) => others.map((b) => a.reduce((sum, x, k) => sum + x * b[k], 0)));

/** Semi-axes of an eigenvalue problem; where a value vanishes the inverse has no bound, which is null. */
function semiAxes(A, power) {
  const { values, vectors } = eigenOf(A), largest = Math.max(values[0], 0);
  const lengths = values.map((value) => {
    const flat = !(value > FLAT * FLAT * largest && value > 0);
    if (power > 0) return flat ? 0 : value ** power;
    return flat ? null : value ** power;
  });
  return { lengths, directions: vectors };
}

const ELLIPSOIDS = {
  velocity: { label: "velocity", unit: "m/s", colour: [0.05, 0.62, 0.45], of: (J, n) => semiAxes(gram(linearRows(J, n), linearRows(J, n)), 0.5),
    about: "velocities of the tip under joint speeds of length 1" },
  force: { label: "force", unit: "N", colour: [0.86, 0.42, 0.05], of: (J, n) => semiAxes(gram(linearRows(J, n), linearRows(J, n)), -0.5),
    about: "forces of the tip under joint forces of length 1" },
  acceleration: { label: "acceleration", unit: "m/s²", colour: [0.62, 0.35, 0.85], of: (J, n, M) => {
    const rows = linearRows(J, n);
    return semiAxes(gram(rows, solved(M, n, rows).map((x) => Array.from(x))), 1);
  }, about: "accelerations of the tip at rest under forces of 1 N on it" },
};
