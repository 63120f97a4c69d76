/* The eye: turned by dragging and keys, moved by wheel and pinch. Angles about the direction that is up. */

const FIELD = 0.55; // rad, from top to bottom

class Camera {
  constructor(canvas, scene, changed) {
    this.canvas = canvas; this.scene = scene; this.changed = changed;
    this.up = scene.up;
    const level = minus(scene.eye, times(dot(scene.eye, this.up), this.up));
    this.front = norm(level) > 1e-6 ? unit(level) : across(this.up);
    this.side = cross(this.up, this.front);
    this.pointers = new Map();
    this.refuses = () => false; // whether a pointer that goes down belongs to something else
    this.reset();
    this.listen();
  }

  reset() {
    const { scene } = this;
    this.azimuth = 0;
    this.elevation = Math.asin(Math.max(-1, Math.min(1, dot(scene.eye, this.up))));
    this.target = times(scene.planar ? 0 : 0.12 * scene.size, this.up);
    this.distance = ((scene.planar ? 1.06 : 0.72) * scene.size) / Math.sin(FIELD / 2);
    this.changed();
  }

  direction() {
    const level = plus(times(Math.cos(this.azimuth), this.front), times(Math.sin(this.azimuth), this.side));
    return plus(times(Math.cos(this.elevation), level), times(Math.sin(this.elevation), this.up));
  }

  /** What a drawing needs: the matrix, the eye, up, and the cotangent of half the field. */
  seen() {
    const aspect = this.canvas.width / Math.max(this.canvas.height, 1), far = this.distance / Math.min(1, aspect * 1.1);
    const eye = plus(this.target, times(far, this.direction()));
    const lens = perspective(FIELD, aspect, far / 100, 20 * far + 20 * this.scene.size);
    return { matrix: product(lens, lookingAt(eye, this.target, this.up)), eye, up: this.up, scale: 1 / Math.tan(FIELD / 2) };
  }

  turn(right, above) {
    this.azimuth -= right;
    this.elevation = Math.max(-1.55, Math.min(1.55, this.elevation + above));
    this.changed();
  }

  zoom(factor) {
    this.distance = Math.max(0.05 * this.scene.size, Math.min(30 * this.scene.size, this.distance * factor));
    this.changed();
  }

  /** The place of a point on the canvas, pixels of the page. */
  placeOf(p) {
    const { matrix: m } = this.seen(), w = m[3] * p[0] + m[7] * p[1] + m[11] * p[2] + m[15];
    const [x, y] = [0, 1].map((r) => (m[r] * p[0] + m[4 + r] * p[1] + m[8 + r] * p[2] + m[12 + r]) / w);
    return [(0.5 + 0.5 * x) * this.canvas.clientWidth, (0.5 - 0.5 * y) * this.canvas.clientHeight];
  }

  /** Right and above as the eye has them, and metres a pixel at the depth of a point. */
  plane(p) {
    const away = this.direction(), right = unit(cross(this.up, away)), { eye } = this.seen();
    return [right, cross(away, right), (2 * dot(minus(eye, p), away) * Math.tan(FIELD / 2)) / this.canvas.clientHeight];
  }

  pan(x, y) {
    const away = this.direction(), right = unit(cross(this.up, away)), above = cross(away, right);
    const metres = (2 * this.distance * Math.tan(FIELD / 2)) / this.canvas.clientHeight;
    this.target = plus(this.target, plus(times(-x * metres, right), times(y * metres, above)));
    this.changed();
  }

  listen() {
    const { canvas, pointers } = this;
    canvas.addEventListener("pointerdown", (event) => { canvas.setPointerCapture(event.pointerId); if (!this.refuses(event)) pointers.set(event.pointerId, event); });
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, (event) => pointers.delete(event.pointerId));
    canvas.addEventListener("pointermove", (event) => this.drag(event));
    canvas.addEventListener("wheel", (event) => { event.preventDefault(); this.zoom(Math.exp(0.0012 * event.deltaY)); }, { passive: false });
    canvas.addEventListener("dblclick", () => this.reset());
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("keydown", (event) => {
      const keys = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] };
      if (keys[event.key]) this.turn(...keys[event.key]);
      else if (event.key === "+" || event.key === "=") this.zoom(0.9);
      else if (event.key === "-") this.zoom(1.1);
      else return;
      event.preventDefault();
    });
  }

  drag(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const x = event.clientX - before.clientX, y = event.clientY - before.clientY;
    const other = [...this.pointers.values()].find((one) => one.pointerId !== event.pointerId);
    if (other) {
      const gap = (one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) || 1;
      this.zoom(gap(before) / gap(event));
      this.pan(x / 2, y / 2);
    } else if (event.shiftKey || event.buttons === 2) this.pan(x, y);
    else this.turn(0.008 * x, 0.008 * y);
    this.pointers.set(event.pointerId, event);
  }
}
