/* The state of the arm, and all that belongs to it, from the WebAssembly. */

class State {
  constructor(robot, functions) {
    this.robot = robot; this.functions = functions; this.n = robot.joints.length;
    this.q = Float64Array.from(robot.start);
    this.qd = new Float64Array(this.n);
    this.qdd = new Float64Array(this.n);
  }

  /** M, g, poses, tip, forces, energies and ellipsoids now. */
  now() {
    const { functions, n, q, qd, qdd, robot } = this;
    const at = functions.at(q), moving = functions.moving(q, qd, qdd);
    const found = { at, moving, q, qd, qdd, tip: null, ellipsoids: {} };
    if (robot.tip !== null) {
      found.tip = poseOf(at.tip_pose);
      for (const [name, one] of Object.entries(ELLIPSOIDS)) if (robot.ellipsoids.includes(name)) found.ellipsoids[name] = one.of(at.tip_jacobian, n, at.mass_matrix);
    }
    return found;
  }
}
