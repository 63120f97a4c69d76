/* The arm of a motion: poses by the WebAssembly at the cursor's time, a ghost at the other motion's, the path of the tip. */

const LONG = 10; // s: of a longer motion the path of the tip is drawn near the cursor
const NEAR = [-2.5, 1]; // s before and after the cursor
const POINTS = 140; // of that path

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
    this.long = columns.end - columns.start > LONG;
    if (arm.path && !this.long) { const at = new Float32Array(bytesOf(arm.path).buffer); for (let k = 0; k + 2 < at.length; k += 3) this.scene.trace.push([at[k], at[k + 1], at[k + 2]]); }
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
      const { start, end } = columns.motionOf(name);
      return columns.at(name, Math.max(start, Math.min(end, time)));
    });
  }

  at(time) { return this.functions.at(this.q(time)); }

  ghostAt(time) {
    if (!this.hasGhost) return null;
    const q = this.q(time, ":other");
    return q.every(Number.isFinite) ? this.functions.at(q) : null;
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

  /** The path of the tip near a time, of a long motion whose positions are read. */
  near(time) {
    if (!this.long || this.arm.tip === null || !this.columns.read.has("q:0")) return;
    const [{ start, end }] = this.columns.motions, from = Math.max(start, time + NEAR[0]), to = Math.min(end, time + NEAR[1]);
    this.scene.trace = Array.from({ length: POINTS + 1 }, (_, k) => {
      const { tip_pose: T } = this.at(from + ((to - from) * k) / POINTS);
      return [T[3], T[7], T[11]];
    });
  }

  draw(time) {
    if (this.scene.layers.trace) this.near(time);
    const [{ start, end }] = this.columns.motions, at = this.at(Math.max(start, Math.min(end, time)));
    const now = { at, tip: at.tip_pose ? poseOf(at.tip_pose) : null, ellipsoids: {} };
    this.scene.draw(this.drawing, this.camera.seen(), now, this.ghostAt(time)?.poses ?? null);
  }
}
