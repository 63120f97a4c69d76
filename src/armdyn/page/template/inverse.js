/* Inverse kinematics by damped least squares, with the Jacobian of the page's WebAssembly. */

const STEPS = 30; // of one search
const DAMPING = 0.02; // of the arm's size: a step near a singular place stays small
const LARGEST_TURN = 0.25; // rad or m, of a joint in a step

/** The axis times the angle of the rotation that takes R to W, both as functions of row and column. */
function turnBetween(R, W) {
  const E = (i, j) => [0, 1, 2].reduce((sum, k) => sum + W(i, k) * R(j, k), 0);
  const axis = [E(2, 1) - E(1, 2), E(0, 2) - E(2, 0), E(1, 0) - E(0, 1)], s = norm(axis) / 2, c = (E(0, 0) + E(1, 1) + E(2, 2) - 1) / 2;
  return s < 1e-9 ? times(0.5, axis) : times(Math.atan2(s, c) / (2 * s), axis);
}

/** Joint positions within the limits that bring the tip to a point.
 *
 * An arm of six joints or more keeps the orientation `turn` (rows of R) too, where it can: `size` is the length by
 * which a radian counts. A joint at its limit is taken out of a step that would push it further.
 */
function towardsPoint(robot, functions, start, point, turn = null, size = 1) {
  const n = robot.joints.length, q = Float64Array.from(start), full = turn !== null && n >= 6, rows = full ? [0, 1, 2, 3, 4, 5] : [3, 4, 5];
  const limits = robot.joints.map(({ stops: [low, high] }) => [low ?? -Infinity, high ?? Infinity]);
  const weight = 0.15 * size;
  for (let step = 0; step < STEPS; step++) {
    const { tip_pose: T, tip_jacobian: J } = functions.at(q), R = (i, j) => T[4 * i + j];
    const away = minus(point, [T[3], T[7], T[11]]), twist = full ? turnBetween(R, (i, j) => turn[3 * i + j]) : [];
    const error = [...twist.map((x) => weight * x), ...away];
    if (Math.max(...error.map(Math.abs)) < 1e-6 * size) break;
    const A = rows.map((row) => Array.from({ length: n }, (_, k) => (row < 3 ? weight : 1) * J[row * n + k]));
    const free = new Array(n).fill(true);
    let change = [];
    for (let again = 0; again < n; again++) {
      const B = A.map((row) => row.map((x, k) => (free[k] ? x : 0))), size2 = (DAMPING * size) ** 2;
      const gram_ = Float64Array.from(rows.flatMap((_, i) => rows.map((__, j) => B[i].reduce((sum, x, k) => sum + x * B[j][k], i === j ? size2 : 0))));
      const y = solved(gram_, rows.length, [error])[0];
      change = Array.from({ length: n }, (_, k) => B.reduce((sum, row, i) => sum + row[k] * y[i], 0));
      const pushed = change.findIndex((dq, k) => free[k] && ((q[k] >= limits[k][1] && dq > 0) || (q[k] <= limits[k][0] && dq < 0)));
      if (pushed < 0) break;
      free[pushed] = false;
    }
    const share = Math.min(1, LARGEST_TURN / Math.max(...change.map(Math.abs), 1e-12));
    for (let k = 0; k < n; k++) q[k] = Math.max(limits[k][0], Math.min(limits[k][1], q[k] + share * change[k]));
  }
  return q;
}

/** Drags the tip: in the plane through it that faces the eye. */
class TipDrag {
  constructor(canvas, camera, state, moved_, held) {
    this.canvas = canvas; this.camera = camera; this.state = state; this.moved = moved_; this.held = held; this.pointer = null;
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerleave", () => this.light(false));
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, (event) => this.release(event));
    camera.refuses = (event) => this.take(event);
  }

  pose() { return this.state.functions.at(this.state.q).tip_pose; }

  /** Whether a pointer is at the tip. */
  near(event, T = this.pose()) {
    const [x, y] = this.camera.placeOf([T[3], T[7], T[11]]), box = this.canvas.getBoundingClientRect();
    return Math.hypot(event.clientX - box.left - x, event.clientY - box.top - y) < (event.pointerType === "touch" ? 32 : 16);
  }

  /** Begin if the pointer is at the tip; the camera then leaves the pointer alone. */
  take(event) {
    const T = this.pose();
    if (this.pointer !== null || event.button > 0 || event.shiftKey || !this.near(event, T)) return false;
    this.pointer = event.pointerId;
    this.turn = [0, 1, 2].flatMap((i) => [0, 1, 2].map((j) => T[4 * i + j]));
    this.last = [event.clientX, event.clientY];
    this.goal = [T[3], T[7], T[11]];
    this.light(true);
    return true;
  }

  light(on) {
    if (this.lit === on || (!on && this.pointer !== null)) return;
    this.lit = on;
    this.canvas.style.cursor = on ? "move" : "";
    this.held(on);
  }

  move(event) {
    if (event.pointerId !== this.pointer) { if (!event.buttons) this.light(this.near(event)); return; }
    const [right, above, metres] = this.camera.plane(this.goal);
    const by = [event.clientX - this.last[0], event.clientY - this.last[1]];
    this.last = [event.clientX, event.clientY];
    this.goal = plus(this.goal, plus(times(by[0] * metres, right), times(-by[1] * metres, above)));
    const { state } = this;
    state.q.set(towardsPoint(state.robot, state.functions, state.q, this.goal, this.turn, state.robot.size));
    this.moved();
  }

  release(event) {
    if (event.pointerId !== this.pointer) return;
    this.pointer = null;
    this.light(event.pointerType !== "touch" && this.near(event));
  }
}
