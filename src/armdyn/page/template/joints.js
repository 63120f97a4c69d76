/* The joints' sliders, in degrees or metres, and their speeds and accelerations. */

const DEGREES = 180 / Math.PI;
const shownUnit = (joint) => (joint.kind === "revolute" ? "°" : "m");
const factorOf = (joint) => (joint.kind === "revolute" ? DEGREES : 1);

class JointPanel {
  constructor(place, tools, robot, state, changed) {
    this.robot = robot; this.state = state; this.changed = changed;
    this.rows = robot.joints.map((joint, k) => this.row(joint, k));
    place.append(...this.rows.map((row) => row.whole));
    const rates = element("button", { type: "button", "aria-pressed": "false", onclick: () => this.toggleRates(rates) }, "speeds");
    rates.title = "Give the joints speeds and accelerations, for the forces of a motion";
    tools.append(
      element("button", { type: "button", onclick: () => this.go(robot.start) }, "start"),
      element("button", { type: "button", onclick: () => this.go(new Array(state.n).fill(0)) }, "zero"),
      rates,
    );
  }

  row(joint, k) {
    const factor = factorOf(joint), digits = joint.kind === "revolute" ? 1 : 4, name = `joint ${joint.name}`;
    const slider = element("input", { type: "range", min: joint.low * factor, max: joint.high * factor, step: "any", "aria-label": name });
    slider.addEventListener("input", () => this.move(k, Number(slider.value) / factor, slider));
    const number = element("input", { type: "number", step: "any", "aria-label": `${name}, ${joint.kind === "revolute" ? "degrees" : "metres"}` });
    number.addEventListener("change", () => { if (number.value !== "" && Number.isFinite(number.valueAsNumber)) this.move(k, number.valueAsNumber / factor); else this.show(); });
    const rate = (array, unit, label) => {
      const input = element("input", { type: "number", step: "any", value: "0", "aria-label": `${label} of ${name}` });
      input.addEventListener("change", () => { array[k] = Number.isFinite(input.valueAsNumber) ? input.valueAsNumber / factor : 0; this.changed("rates"); });
      return { input, whole: element("span", { class: "value" }, input, element("span", { class: "unit" }, unit)) };
    };
    const u = shownUnit(joint), qd = rate(this.state.qd, `${u}/s`, "speed"), qdd = rate(this.state.qdd, `${u}/s²`, "acceleration");
    const rates = element("div", { class: "rates", hidden: true }, qd.whole, qdd.whole);
    rates.style.display = "none";
    const value = element("label", { class: "value" }, number, element("span", { class: "unit" }, u));
    const whole = element("div", { class: "joint" }, element("span", { class: "name", title: joint.name }, joint.short), slider, value, rates);
    return { whole, slider, number, rates, factor, digits, qd: qd.input, qdd: qdd.input };
  }

  toggleRates(button) {
    const opened = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(opened));
    for (const row of this.rows) { row.rates.style.display = opened ? "" : "none"; row.rates.hidden = !opened; }
  }

  move(k, value) {
    this.state.q[k] = value;
    this.state.close(k);
    this.changed("moved");
  }

  go(q) {
    this.state.q.set(q);
    this.state.qd.fill(0);
    this.state.qdd.fill(0);
    this.state.close();
    this.changed("moved");
  }

  show() {
    const { q, qd, qdd } = this.state;
    this.rows.forEach((row, k) => {
      row.slider.value = q[k] * row.factor;
      if (document.activeElement !== row.number) row.number.value = (q[k] * row.factor).toFixed(row.digits);
      for (const [input, rate] of [[row.qd, qd[k]], [row.qdd, qdd[k]]]) if (document.activeElement !== input) input.value = Number((rate * row.factor).toPrecision(4));
    });
  }
}
