/* Time: the cursor of all charts, moved by hand or played at a rate that is measured. */

class Player {
  constructor(place, columns, changed) {
    this.start = columns.start; this.end = columns.end; this.time = columns.start; this.changed = changed;
    this.running = false; this.speed = 1; this.rate = new Rate();
    this.button = element("button", { type: "button", class: "main", onclick: () => this.toggle() }, "Play");
    this.slider = element("input", { type: "range", min: this.start, max: this.end, step: "any", "aria-label": "time, s" });
    this.slider.addEventListener("input", () => { this.pause(); this.go(Number(this.slider.value)); });
    const select = element("select", { "aria-label": "speed" }, ...[["0.1", "0.1 ×"], ["0.25", "0.25 ×"], ["1", "1 ×"], ["2", "2 ×"], ["5", "5 ×"]].map(([value, text]) => element("option", { value, selected: value === "1" }, text)));
    select.addEventListener("change", () => { this.speed = Number(select.value); this.anchor(); });
    this.clock = element("span", { class: "clock" });
    place.append(this.button, this.slider, select, this.clock);
  }

  go(time) { this.time = Math.max(this.start, Math.min(this.end, time)); this.changed(); }
  anchor() { this.from = this.time; this.since = performance.now(); this.rate.begin(); }
  toggle() { if (this.running) this.pause(); else this.play(); }

  play() {
    if (this.time >= this.end) this.time = this.start;
    this.running = true;
    this.anchor();
    this.changed();
  }

  pause() {
    if (!this.running) return;
    this.running = false;
    this.changed();
  }

  /** The time of the motion that belongs to now: however long pictures take, it does not fall behind. */
  advance() {
    if (!this.running) return;
    const now = performance.now(), time = this.from + (this.speed * (now - this.since)) / 1000;
    this.time = Math.min(time, this.end);
    if (time <= this.end) this.rate.see(now, this.time);
    if (time >= this.end) this.running = false;
  }

  show() {
    this.button.textContent = this.running ? "Pause" : "Play";
    this.slider.value = this.time;
    this.clock.replaceChildren(element("b", {}, `${fixed(this.time, 3)} s`), element("span", {}, `of ${figure(this.start, 4)} to ${figure(this.end, 4)} s`), element("span", {}, String(this.rate)));
  }
}
