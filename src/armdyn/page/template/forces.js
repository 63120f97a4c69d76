/* Joint forces: of gravity, of the motion, of friction, their sum, and the limits. */

class ForcePanel {
  /** `onStop`: whether a joint is on a stop now. */
  constructor(place, robot, onStop) {
    this.robot = robot; this.onStop = onStop; this.largest = 0;
    this.limited = robot.joints.some((joint) => joint.effort !== null);
    this.columns = robot.inverse ? ["g(q)", "motion", ...(robot.friction ? ["friction"] : []), "τ"] : ["g(q)"];
    const head = ["joint", ...this.columns, ...(this.limited ? ["", "of its limit"] : [])];
    const sides = head.map((text, k) => (text === "" ? "meter" : k ? "number" : null));
    const cells = head.map((text, k) => element("th", { class: sides[k] }, text));
    this.body = element("tbody");
    this.rows = robot.joints.map((joint, k) => {
      const numbers = this.columns.map(() => element("td", { class: "number" }));
      const fill = element("i"), share = element("td", { class: "share number" }), stop = element("span", { class: "badge", hidden: true }, "stop");
      const bar = joint.effort === null ? "–" : element("span", { class: "bar" }, fill);
      const name = element("td", { title: joint.name }, element("span", { class: "named" }, element("span", {}, joint.short), stop));
      this.body.append(element("tr", {}, name, ...numbers, ...(this.limited ? [element("td", { class: "meter" }, bar), share] : [])));
      return { numbers, fill, share, stop, k };
    });
    place.append(element("table", {}, element("thead", {}, element("tr", {}, ...cells)), this.body));
    const units = new Set(robot.joints.map((joint) => (joint.kind === "revolute" ? "N m" : "N")));
    const parts = { "g(q)": "g(q) holds the arm", motion: "motion is M q̈ + c", friction: "friction is that of joints and drives", "τ": "τ is their sum, by inverse dynamics; while the arm falls, the force of damping and stops" };
    place.after(element("p", { class: "caption" }, `${[...units].join("; ")}. ${this.columns.map((name) => parts[name]).join("; ")}.`));
  }

  /** Numbers of a joint in the order of the columns. */
  of({ at, moving, held }, k) {
    const g = at.gravity_forces[k];
    if (!this.robot.inverse) return [g];
    const tau = moving.inverse_dynamics[k], friction = this.robot.friction ? moving.friction_forces[k] : 0, motion = tau - g - friction;
    if (held?.joints[k]) return [g, motion, held.tau[k] - g - motion, held.tau[k]]; // at rest: the friction that holds the joint
    return [g, motion, ...(this.robot.friction ? [friction] : []), tau];
  }

  show(now) {
    const all = this.rows.map(({ k }) => this.of(now, k));
    this.largest = Math.max(this.largest, ...all.flat().filter(Number.isFinite).map(Math.abs));
    const digits = this.largest >= 1e4 ? 0 : this.largest >= 1000 ? 1 : this.largest >= 100 ? 2 : this.largest >= 1 || !this.largest ? 3 : Math.min(8, 3 - Math.floor(Math.log10(this.largest)));
    this.robot.joints.forEach((joint, k) => {
      const { numbers, fill, share, stop } = this.rows[k], tau = all[k][all[k].length - 1];
      numbers.forEach((cell, i) => { cell.textContent = fixed(all[k][i], digits); });
      stop.hidden = !this.onStop(k);
      if (joint.effort === null) return;
      const part = joint.effort > 0 ? Math.abs(tau) / joint.effort : Infinity;
      fill.style.width = `${Math.min(100 * part, 100)}%`;
      fill.className = part > 1 ? "over" : part > 0.7 ? "much" : "";
      share.replaceChildren(`${fixed(100 * part, 0)} %`, element("span", { class: "of" }, ` of ${figure(joint.effort, 4)}`));
      share.classList.toggle("over", part > 1);
    });
  }
}
