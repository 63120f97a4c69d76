/* The arm of a motion: poses by the WebAssembly at the cursor's time, a ghost at the other motion's, the path of the tip. */

const PATH = 700; // points

class Stage {
  constructor(arm, functions, columns, ghost, ask) {
    const changed = () => { this.changed = true; ask(); };
    this.arm = arm; this.functions = functions; this.columns = columns;
    this.scene = new Scene(arm);
    this.n = MOTION.joints.length;
    this.scene.layers.ghost = ghost;
    this.hasGhost = ghost;
    this.drawing = drawingOn(byId("view"));
    if (this.drawing instanceof FlatDrawing) this.scene.layers.skeleton = true;
    this.camera = new Camera(this.drawing.canvas, arm, changed);
    this.camera.zoom(1.2); // the path of the tip needs room too
    this.slow = new Slowness();
    this.path();
    const layers = [["bodies", arm.bodies.length > 0], ["skeleton", true], ["frames", true], ["trace", arm.tip !== null], ["ghost", ghost]];
    for (const [name, there] of layers) {
      if (!there) continue;
      const button = element("button", { type: "button", class: "chip", "aria-pressed": String(this.scene.layers[name]) }, name === "trace" ? "path of the tip" : name);
      button.addEventListener("click", () => { this.scene.layers[name] = !this.scene.layers[name]; button.setAttribute("aria-pressed", String(this.scene.layers[name])); changed(); });
      byId("layers").append(button);
    }
  }

  q(time, suffix = "") {
    const { columns } = this;
    return Float64Array.from({ length: this.n }, (_, k) => {
      const name = `q:${k}${suffix}`;
      if (!(name in columns.columns)) return columns.at(`q:${k}`, time);
      const { t } = columns.motionOf(name), found = columns.at(name, Math.max(t[0], Math.min(t[t.length - 1], time)));
      return found;
    });
  }

  at(time) { return this.functions.at(this.q(time)); }

  ghostAt(time) {
    if (!this.hasGhost) return null;
    const q = this.q(time, ":other");
    return q.every(Number.isFinite) ? this.functions.at(q) : null;
  }

  /** The path of the tip over the whole motion. */
  path() {
    if (this.arm.tip === null) return;
    const { t } = this.columns.motions[0], step = Math.max(1, Math.floor(t.length / PATH));
    for (let k = 0; k < t.length; k += step) {
      const { tip_pose: T } = this.functions.at(this.q(t[k]));
      this.scene.trace.push([T[3], T[7], T[11]]);
    }
  }

  fit() {
    const { canvas } = this.drawing, ratio = Math.min(window.devicePixelRatio || 1, 2) * this.slow.share;
    const size = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
    if (canvas.width !== size[0] || canvas.height !== size[1]) { [canvas.width, canvas.height] = size; this.changed = true; }
  }

  /** Draw the arm, if the time or what is drawn has changed. */
  show(time) {
    if (this.shown === time && !this.changed) return;
    this.changed = false; this.shown = time;
    this.draw(time);
  }

  draw(time) {
    const clamped = Math.max(this.columns.motions[0].t[0], Math.min(this.columns.motions[0].t.at(-1), time)), at = this.at(clamped);
    const now = { at, tip: at.tip_pose ? poseOf(at.tip_pose) : null, ellipsoids: {} };
    this.scene.draw(this.drawing, this.camera.seen(), now, this.ghostAt(time)?.poses ?? null);
  }
}
