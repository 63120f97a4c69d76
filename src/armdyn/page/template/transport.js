/* The buttons of the fall, and its charts. */

const METHODS = { rk4: "Runge–Kutta 4", semi_implicit_euler: "semi-implicit Euler" };

class Transport {
  constructor(place, fall, panel, changed) {
    this.fall = fall; this.changed = changed; this.from = null;
    this.play = element("button", { type: "button", class: "main", onclick: () => this.toggle() }, "Let it fall");
    const reset = element("button", { type: "button", onclick: () => this.reset() }, "reset");
    const choice = (label, entries, chosen, set) => {
      const select = element("select", { "aria-label": label }, ...entries.map(([value, text]) => element("option", { value, selected: value === chosen }, text)));
      select.addEventListener("change", () => { set(select.value); changed(); });
      return select;
    };
    const box = (label, on, set) => {
      const input = element("input", { type: "checkbox" });
      input.checked = on;
      input.addEventListener("change", () => { set(input.checked); changed(); });
      return element("label", {}, input, label);
    };
    this.clock = element("span", { class: "clock" });
    place.append(
      this.play, reset,
      choice("speed", [["0.1", "0.1 ×"], ["0.25", "0.25 ×"], ["1", "1 ×"], ["2", "2 ×"]], "1", (value) => { fall.speed = Number(value); fall.rate.begin(); }),
      choice("integrator", Object.entries(METHODS), fall.method, (value) => { fall.method = value; }),
      box("damping", fall.damped, (on) => { fall.damped = on; }),
      box("stops at limits", fall.stopped, (on) => { fall.stopped = on; }),
      this.clock,
    );
    this.panel = panel;
    this.energy = new Chart(byId("energy"));
    this.drift = new Chart(byId("drift"), true);
  }

  toggle() {
    const { fall } = this;
    if (!fall.running && this.from === null) this.from = Float64Array.from(fall.state.q);
    fall.running = !fall.running;
    fall.rate.begin();
    this.changed();
  }

  reset() {
    this.fall.running = false;
    const q = this.from ?? this.fall.state.q;
    this.from = null;
    this.panel.go(q);
  }

  /** The sliders have moved the arm: what follows is another fall. */
  restart() {
    if (!this.fall.running) this.from = null;
    this.fall.begin();
  }

  show() {
    const { fall } = this, last = (list) => list[list.length - 1];
    this.play.textContent = fall.running ? "Pause" : this.from === null ? "Let it fall" : "Go on";
    const rate = fall.running ? String(fall.rate) : "";
    this.clock.textContent = fall.broken ? "the motion has left the finite numbers; reset" : `${rate}${rate && " · "}t = ${fall.time.toFixed(2)} s`;
    const shown = [["kinetic", colours.kinetic, fall.kinetic], ["potential", colours.potential, fall.potential], ["total", colours.ink, fall.total]];
    if (fall.works.some((work) => work !== 0)) shown.splice(2, 0, ["work", colours.work, fall.works]);
    this.energy.draw(fall.t, shown.map(([, colour, values]) => ({ colour, values })));
    this.drift.draw(fall.t, [{ colour: colours.ink, values: fall.drift }]);
    byId("energy-legend").replaceChildren("energy, J", ...shown.map(([name, colour, values]) => element("span", { style: { color: colour } }, `${name} `, element("b", {}, figure(last(values), 4)))));
    byId("drift-legend").replaceChildren("total − work − initial, J", element("b", {}, figure(last(fall.drift), 3)));
  }
}
