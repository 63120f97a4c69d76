/* Joint forces: what holds the arm, what its motion takes, their sum, and the limits. */

class ForcePanel {
  constructor(place, robot, hasInverse) {
    this.robot = robot; this.hasInverse = hasInverse;
    const head = ["joint", "g(q)", ...(hasInverse ? ["motion", "τ"] : []), "of its limit", ""];
    const cells = head.map((text, k) => element("th", k && k < head.length - 2 ? { class: "number" } : { colspan: null }, text));
    this.body = element("tbody");
    this.rows = robot.joints.map((joint) => {
      const numbers = head.slice(1, -2).map(() => element("td", { class: "number" }));
      const fill = element("i"), share = element("td", { class: "share number" });
      const bar = joint.effort === null ? "–" : element("span", { class: "bar" }, fill);
      this.body.append(element("tr", {}, element("td", {}, joint.name), ...numbers, element("td", { style: { width: "26%" } }, bar), share));
      return { numbers, fill, share };
    });
    place.append(element("table", {}, element("thead", {}, element("tr", {}, ...cells)), this.body));
    const units = new Set(robot.joints.map((joint) => (joint.kind === "revolute" ? "N m" : "N")));
    place.after(element("p", { class: "caption" }, `${[...units].join("; ")}. g(q) holds the arm; motion is M q̈ + c + friction${hasInverse ? "; τ is their sum, inverse dynamics" : ""}.`));
  }

  show({ at, moving }) {
    this.robot.joints.forEach((joint, k) => {
      const { numbers, fill, share } = this.rows[k], g = at.gravity_forces[k];
      const tau = this.hasInverse ? moving.inverse_dynamics[k] : g;
      const shown = this.hasInverse ? [g, tau - g, tau] : [g];
      const scale = Math.max(...shown.map(Math.abs));
      numbers.forEach((cell, i) => { cell.textContent = Math.abs(shown[i]) < 1e-9 * scale ? "0" : fixed(shown[i], 3); });
      if (joint.effort === null) return;
      const part = joint.effort > 0 ? Math.abs(tau) / joint.effort : Infinity;
      fill.style.width = `${Math.min(100 * part, 100)}%`;
      fill.className = part > 1 ? "over" : part > 0.7 ? "much" : "";
      share.textContent = `${fixed(100 * part, 0)} % of ${figure(joint.effort, 4)}`;
      share.classList.toggle("over", part > 1);
    });
  }
}
