/* Vectors of three numbers; matrices of 4 x 4 numbers, column after column, as WebGL has them. */

const plus = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const times = (s, a) => [s * a[0], s * a[1], s * a[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const norm = (a) => Math.hypot(a[0], a[1], a[2]);
const unit = (a) => times(1 / (norm(a) || 1), a);

/** A unit vector across another one. */
const across = (a) => unit(cross(a, Math.abs(a[0]) < 0.6 ? [1, 0, 0] : [0, 1, 0]));

/** The matrix with these columns and origin. */
const frameOf = (x, y, z, o) => new Float32Array([...x, 0, ...y, 0, ...z, 0, ...o, 1]);

/** The matrix of pose k of an array of poses, which are row after row. */
function poseOf(poses, k = 0) {
  const found = new Float32Array(16);
  for (let row = 0; row < 4; row++) for (let column = 0; column < 4; column++) found[4 * column + row] = poses[16 * k + 4 * row + column];
  return found;
}

const column = (m, k) => [m[4 * k], m[4 * k + 1], m[4 * k + 2]];
const origin = (m) => column(m, 3);
const turned = (m, v) => [0, 1, 2].map((r) => m[r] * v[0] + m[4 + r] * v[1] + m[8 + r] * v[2]);
const moved = (m, p) => plus(turned(m, p), origin(m));

function product(a, b) {
  const found = new Float32Array(16);
  for (let c = 0; c < 4; c++) for (let r = 0; r < 4; r++) for (let k = 0; k < 4; k++) found[4 * c + r] += a[4 * k + r] * b[4 * c + k];
  return found;
}

/** Takes the tube of radius 1 along z from 0 to 1 to one from a to b. */
function tubeMatrix(a, b, radius) {
  const along = minus(b, a), z = unit(along), x = across(z), y = cross(z, x);
  return frameOf(times(radius, x), times(radius, y), along, a);
}

/** The matrix by which normals go where a matrix takes points; its size does not matter. */
function normalMatrix(m) {
  const [x, y, z] = [column(m, 0), column(m, 1), column(m, 2)];
  const found = [...cross(y, z), ...cross(z, x), ...cross(x, y)], size = Math.max(...found.map(Math.abs)) || 1;
  return Float32Array.from(found, (value) => value / size);
}

function perspective(angle, aspect, near, far) {
  const f = 1 / Math.tan(angle / 2);
  return new Float32Array([f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, (2 * far * near) / (near - far), 0]);
}

function lookingAt(eye, target, up) {
  const z = unit(minus(eye, target)), x = unit(cross(up, z)), y = cross(z, x);
  return new Float32Array([x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, -dot(x, eye), -dot(y, eye), -dot(z, eye), 1]);
}
