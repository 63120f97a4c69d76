/* Joint forces: what holds the arm, what its motion takes, their sum, and the limits. */

class ForcePanel {
  constructor(place, robot, hasInverse) {
    this.robot = robot; this.hasInverse = hasInverse; this.largest = 0;
    this.limited = robot.joints.some((joint) => joint.effort !== null);
    const head = ["joint", "g(q)", ...(hasInverse ? ["motion", "τ"] : []), ...(this.limited ? ["", "of its limit"] : [])];
    const sides = head.map((text, k) => (text === "" ? "meter" : k ? "number" : null)), count = hasInverse ? 3 : 1;
    const cells = head.map((text, k) => element("th", { class: sides[k] }, text));
    this.body = element("tbody");
    this.rows = robot.joints.map((joint) => {
      const numbers = head.slice(1, count + 1).map(() => element("td", { class: "number" }));
      const fill = element("i"), share = element("td", { class: "share number" });
      const bar = joint.effort === null ? "–" : element("span", { class: "bar" }, fill);
      this.body.append(element("tr", {}, element("td", {}, joint.name), ...numbers, ...(this.limited ? [element("td", { class: "meter" }, bar), share] : [])));
      return { numbers, fill, share };
    });
    place.append(element("table", {}, element("thead", {}, element("tr", {}, ...cells)), this.body));
    const units = new Set(robot.joints.map((joint) => (joint.kind === "revolute" ? "N m" : "N")));
    place.after(element("p", { class: "caption" }, `${[...units].join("; ")}. g(q) holds the arm; motion is M q̈ + c + friction${hasInverse ? "; τ is their sum, inverse dynamics" : ""}.`));
  }

  show({ at, moving }) {
    this.largest = Math.max(this.largest, ...at.gravity_forces.map(Math.abs));
    const digits = this.largest >= 100 ? 2 : this.largest >= 1 || !this.largest ? 3 : Math.min(8, 3 - Math.floor(Math.log10(this.largest)));
    this.robot.joints.forEach((joint, k) => {
      const { numbers, fill, share } = this.rows[k], g = at.gravity_forces[k];
      const tau = this.hasInverse ? moving.inverse_dynamics[k] : g;
      const shown = this.hasInverse ? [g, tau - g, tau] : [g];
      numbers.forEach((cell, i) => { cell.textContent = fixed(shown[i], digits); });
      if (joint.effort === null) return;
      const part = joint.effort > 0 ? Math.abs(tau) / joint.effort : Infinity;
      fill.style.width = `${Math.min(100 * part, 100)}%`;
      fill.className = part > 1 ? "over" : part > 0.7 ? "much" : "";
      share.textContent = `${fixed(100 * part, 0)} % of ${figure(joint.effort, 4)}`;
      share.classList.toggle("over", part > 1);
    });
  }
}
