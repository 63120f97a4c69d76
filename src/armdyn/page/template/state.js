/* The state of the arm, and all that belongs to it, from the WebAssembly. */

const CLOSING_STEPS = 80;
const LEAST_SHARE = 0.05; // of a joint's motion that is left of it when the loops are closed again

class State {
  constructor(robot, functions) {
    this.robot = robot; this.functions = functions; this.n = robot.joints.length;
    this.q = Float64Array.from(robot.start);
    this.qd = new Float64Array(this.n);
    this.qdd = new Float64Array(this.n);
    this.closed = Float64Array.from(this.q);
    this.held = null; // joints of the fall that friction holds, and the forces on them
  }

  /** Put the arm onto its constraints, if it has any: by steps of Newton's method, with joint k where it is, if it can be there.
   *
   * Where the loops cannot be closed the arm stays at its last closed positions.
   */
  close(k = null) {
    const { closing } = this.functions;
    if (!closing) return;
    const wanted = k === null ? 0 : this.q[k];
    let found = { q: Float64Array.from(this.q), qd: Float64Array.from(this.qd) }, share = 1;
    if (k !== null) found.q[k] = this.closed[k];
    for (let step = 0; step < CLOSING_STEPS; step++) {
      const from = found.q[k], held = k !== null && step < CLOSING_STEPS - 8;
      const by = held ? Math.max(-LARGEST_TURN, Math.min(LARGEST_TURN, (wanted - from) / share)) : 0;
      if (held) found.q[k] += by;
      found = closing(found.q, found.qd);
      if (Math.abs(by) > 1e-12) share = Math.max(LEAST_SHARE, Math.min(1, (found.q[k] - from) / by));
      if (Math.max(...found.phi.map(Math.abs)) < 1e-13 && Math.abs(by) < 1e-9) break;
    }
    const open = Math.max(...closing(found.q, found.qd).phi.map(Math.abs));
    if (!(open < 1e-9)) { this.q.set(this.closed); this.qd.fill(0); return; }
    this.q.set(found.q); this.qd.set(found.qd);
    this.closed = Float64Array.from(found.q);
  }

  /** Forces and energies of the motion; under constraints without the forces of accelerations. */
  moving() {
    const { functions, q, qd, qdd, robot } = this;
    return robot.inverse ? functions.moving(q, qd, qdd) : functions.moving(q, qd);
  }

  /** M, g, poses, tip, forces, energies and ellipsoids now. */
  now() {
    const { functions, n, q, qd, qdd, robot, held } = this;
    const at = functions.at(q), moving = this.moving();
    const found = { at, moving, q, qd, qdd, held, tip: null, ellipsoids: {} };
    if (robot.tip !== null) {
      found.tip = poseOf(at.tip_pose);
      for (const [name, one] of Object.entries(ELLIPSOIDS)) if (robot.ellipsoids.includes(name)) found.ellipsoids[name] = one.of(at.tip_jacobian, n, at.mass_matrix);
    }
    return found;
  }
}
