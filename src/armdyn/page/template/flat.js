/* Drawing without WebGL, on a plain canvas: rods, knobs, lines and the outlines of ellipsoids, but no meshes. */

class FlatDrawing {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
  }

  prepare() {}

  begin(camera) {
    this.camera = camera;
    this.strokes = [];
    this.context.clearRect(0, 0, this.canvas.width, this.canvas.height);
  }

  /** Place on the canvas, depth, and pixels a metre there. */
  seen(p) {
    const m = this.camera.matrix, w = m[3] * p[0] + m[7] * p[1] + m[11] * p[2] + m[15];
    const x = (m[0] * p[0] + m[4] * p[1] + m[8] * p[2] + m[12]) / w, y = (m[1] * p[0] + m[5] * p[1] + m[9] * p[2] + m[13]) / w;
    return [(0.5 + 0.5 * x) * this.canvas.width, (0.5 - 0.5 * y) * this.canvas.height, w, (this.camera.scale * this.canvas.height) / (2 * w)];
  }

  stroke(points, colour, width, order) {
    const seen = points.map((p) => this.seen(p));
    if (seen.some((p) => !(p[2] > 0))) return;
    const depth = order ?? seen.reduce((sum, p) => sum + p[2], 0) / seen.length;
    this.strokes.push({ seen, colour, width: width === null ? 1.2 : Math.max(1.2, 2 * width * seen[0][3]), depth });
  }

  solid() {}
  rod(a, b, radius, colour) { this.stroke([a, b], colour, radius); }
  knob(at, radius, colour) { this.stroke([at, at], colour, radius); }
  block(matrix, colour) { this.stroke([minus(origin(matrix), column(matrix, 2)), plus(origin(matrix), column(matrix, 2))], colour, norm(column(matrix, 0))); }

  ellipsoid(x, y, z, at, colour) {
    for (const [a, b] of [[x, y], [y, z], [z, x]]) {
      const ring = Array.from({ length: 49 }, (_, k) => plus(at, plus(times(Math.cos((Math.PI * k) / 24), a), times(Math.sin((Math.PI * k) / 24), b))));
      this.stroke(ring, colour, null);
    }
  }

  lines(points, colour, { strip = false, fade = 0 } = {}) {
    const list = Array.from({ length: points.length / 3 }, (_, k) => [points[3 * k], points[3 * k + 1], points[3 * k + 2]]);
    if (strip) { this.stroke(list, colour, null); return; }
    for (let k = 0; k + 1 < list.length; k += 2) if (!fade || norm(list[k]) < 1.2 * fade) this.stroke([list[k], list[k + 1]], colour, null, fade ? Infinity : undefined);
  }

  finish() {
    const c = this.context;
    c.lineCap = c.lineJoin = "round";
    for (const { seen, colour, width } of this.strokes.sort((a, b) => b.depth - a.depth)) {
      c.beginPath();
      seen.forEach((p, k) => (k ? c.lineTo(p[0], p[1]) : c.moveTo(p[0], p[1])));
      c.strokeStyle = `rgba(${colour.slice(0, 3).map((x) => Math.round(255 * x))},${colour[3] ?? 1})`;
      c.lineWidth = width;
      c.stroke();
    }
  }
}
