/* The arm let go: steps of one length, of the WebAssembly; energies and their account over time. */

const KEPT = 2500; // moments of the charts
const MOST_STEPS = 2000; // between two pictures
const LONGEST = 0.5; // s between two pictures that the fall makes up for; a hidden page is not made up for
const RECORDED = 8; // steps between two moments that are kept, however slow the pictures are

class Fall {
  /** `passed` is told every place of the tip that is kept. */
  constructor(state, settings, passed) {
    this.passed = passed;
    this.state = state; this.settings = settings;
    this.method = "rk4"; this.speed = 1; this.damped = false; this.stopped = true;
    this.running = false;
    this.rate = new Rate();
    this.begin();
  }

  /** A new account of energy from where the arm is. */
  begin() {
    const { state } = this;
    this.time = 0; this.work = 0; this.owed = 0; this.broken = false;
    this.carried = null;
    this.state.held = null;
    this.rate.begin();
    this.t = []; this.kinetic = []; this.potential = []; this.total = []; this.works = []; this.drift = [];
    this.record();
  }

  get given() {
    const { settings, state } = this, none = new Float64Array(state.n);
    return { damping: this.damped ? settings.damping : none, stiffness: this.stopped ? settings.stiffness : none };
  }

  /** What is bent in friction with a state of its own; at first nothing. */
  get bristles() { return this.carried?.bristles ?? new Float64Array(this.settings.bristles); }

  /** Where the rotors of flexible joints are, and how fast; at first as the joints. */
  get rotors() { return this.carried ?? { theta: this.state.q, thetad: this.state.qd }; }

  /** Go on by so many steps. */
  step(count) {
    const { state, settings } = this, { damping, stiffness } = this.given;
    if (this.time === 0) state.close(); // speeds that the constraints do not allow
    const arrays = { heat: [0], bristles: this.bristles, ...this.rotors, q: state.q, qd: state.qd, work: [this.work], h: [settings.step], damping, stiffness };
    const { state: after } = state.functions[`fall_${this.method}`](count, arrays, Math.max(count, 1));
    this.broken = !after.q.every(Number.isFinite) || !after.qd.every(Number.isFinite);
    if (this.broken) { this.running = false; return; }
    this.carried = after;
    state.q.set(after.q); state.qd.set(after.qd); state.closed.set(after.q);
    this.work = after.work[0];
    this.time += count * settings.step;
    this.accelerate();
  }

  /** The accelerations now, by which the forces of the motion are told. */
  accelerate() {
    const { state } = this, { damping, stiffness } = this.given, { functions } = state;
    const tau = functions.released(state.q, state.qd, damping, stiffness);
    state.qdd.set(functions.accelerations(state.q, state.qd, tau));
    if (state.robot.friction && !functions.flexible) this.hold(tau);
  }

  /** Joints at rest are held by their friction: they do not accelerate, and the others move as M and the forces require. */
  hold(tau) {
    const { state } = this, { n, qd, qdd } = state, M = state.functions.at(state.q).mass_matrix;
    const joints = Array.from(qd, (speed) => speed === 0), free = [...joints.keys()].filter((k) => !joints[k]);
    const forces = free.map((i) => qdd.reduce((sum, a, j) => sum + M[i * n + j] * a, 0));
    const own = Float64Array.from(free.flatMap((i) => free.map((j) => M[i * n + j])));
    const accelerations = solved(own, free.length, [forces])[0];
    qdd.fill(0);
    free.forEach((k, place) => { qdd[k] = accelerations[place]; });
    state.held = { joints, tau };
  }

  /** Go on by what has passed of a real time, s. */
  advance(seconds) {
    this.owed += Math.min(seconds, LONGEST) * this.speed;
    const count = Math.min(Math.floor(this.owed / this.settings.step), MOST_STEPS);
    this.owed -= count * this.settings.step;
    for (let done = 0; done < count && !this.broken; done += RECORDED) {
      this.step(Math.min(RECORDED, count - done));
      if (!this.broken) this.record();
    }
  }

  /** Whether a joint is on a stop of the page. */
  onStop(k) {
    const { q, robot } = this.state, [low, high] = robot.joints[k].stops;
    return this.stopped && ((high !== null && q[k] > high) || (low !== null && q[k] < low));
  }

  record() {
    const { state } = this;
    const at = state.functions.at(state.q), bent = state.functions.stored?.(this.bristles)[0] ?? 0;
    const flexible = state.functions.flexible?.(state.q, state.qd, this.rotors.thetad, this.rotors.theta);
    const P = at.potential_energy[0] + bent + (flexible?.stored[0] ?? 0);
    const K = (flexible?.kinetic ?? state.moving().kinetic_energy)[0];
    if (at.tip_pose) this.passed([at.tip_pose[3], at.tip_pose[7], at.tip_pose[11]]);
    if (!this.t.length) this.first = K + P - this.work;
    const row = [this.time, K, P, K + P, this.work, K + P - this.work - this.first];
    [this.t, this.kinetic, this.potential, this.total, this.works, this.drift].forEach((list, k) => { list.push(row[k]); if (list.length > KEPT) list.shift(); });
  }
}
