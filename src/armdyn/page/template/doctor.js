/* The page of a doctor: the arm at rest, links with findings in colour, the ellipsoid of the chosen link. */

const SEVERE = { error: [0.76, 0.15, 0.11], warning: [0.85, 0.5, 0.08], note: [0.3, 0.5, 0.72] };
const ELLIPSOID = [0.75, 0.25, 0.5];
const HERE = frameOf([1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]);

function drawingOn(canvas) {
  try {
    return new WebGlDrawing(canvas);
  } catch (error) {
    const fresh = canvas.cloneNode(); // a canvas keeps to its first kind of drawing
    canvas.replaceWith(fresh);
    byId("hint").textContent = "This browser has no WebGL 2: lines in place of solids.";
    return new FlatDrawing(fresh);
  }
}

class DoctorScene {
  constructor(about) {
    this.about = about;
    this.meshes = about.bodies.map((body) => ({ link: body.link, mesh: bodyMesh(body) }));
    this.chosen = null;
    this.all = false;
  }

  colourOf(link) {
    const severity = this.about.worst[link];
    if (this.chosen !== null && this.chosen !== link) return colours.rgb("metal");
    return severity ? SEVERE[severity] : colours.rgb("metal");
  }

  draw(drawing, camera) {
    const { about } = this, thin = 0.006 * about.size;
    drawing.begin(camera);
    const shown = about.inertias.filter((one) => one.drawn && (this.all || one.link === this.chosen));
    const through = new Set(shown.map((one) => one.link));
    for (const { link, mesh } of this.meshes) {
      const colour = this.colourOf(link), glass = through.has(link) || (this.chosen !== null && link !== this.chosen);
      drawing.solid(mesh, HERE, glass ? [...colour, link === this.chosen ? 0.3 : 0.16] : colour, glass);
    }
    for (const { from, to, axis, kind, link } of about.segments) {
      drawing.rod(from, to, 0.6 * thin, colours.rgb("metal"));
      if (axis && kind !== "fixed") {
        const half = times(4 * thin, axis);
        drawing.rod(minus(to, half), plus(to, half), thin, this.chosen === link ? this.colourOf(link) : colours.rgb("joint"));
      }
    }
    for (const { com, from, axes } of shown) {
      const [x, y, z] = axes.map((axis) => (norm(axis) > 0.2 * thin ? axis : times(0.2 * thin, norm(axis) > 0 ? unit(axis) : [1, 0, 0])));
      drawing.rod(from, com, 0.4 * thin, ELLIPSOID);
      drawing.knob(com, 1.2 * thin, ELLIPSOID);
      drawing.ellipsoid(x, y, z, com, ELLIPSOID);
    }
    drawing.finish();
  }
}

function begin() {
  colours.read();
  const scene = new DoctorScene(DOCTOR), drawing = drawingOn(byId("view"));
  let asked = false;
  const draw = () => { if (!asked) { asked = true; requestAnimationFrame(() => picture()); } };
  const camera = new Camera(drawing.canvas, DOCTOR, () => draw());
  const home = camera.reset.bind(camera);
  camera.reset = () => { home(); camera.target = DOCTOR.middle; camera.distance = (1.08 * DOCTOR.size) / Math.sin(FIELD / 2); draw(); };
  camera.reset();
  const picture = () => {
    asked = false;
    scene.draw(drawing, camera.seen());
    window.armdyn.frames += 1;
  };
  const rows = [...document.querySelectorAll("tr[data-finding]")];
  const choose = (row) => {
    const again = row === null || row.getAttribute("aria-selected") === "true";
    for (const one of rows) one.setAttribute("aria-selected", String(one === row && !again));
    const link = again ? null : row.dataset.link || null;
    scene.chosen = link;
    const one = DOCTOR.inertias.find((each) => each.link === link);
    if (one?.drawn) {
      const reach = norm(minus(one.com, camera.target)) + Math.max(...one.axes.map(norm));
      camera.distance = Math.max(camera.distance, (1.05 * reach) / Math.sin(FIELD / 2));
    }
    byId("link").textContent = link === null ? "" : one === undefined ? `link ${link}: no mass and moments that can be drawn`
      : `link ${link}: ${one.mass} kg; ellipsoid of uniform density with semi-axes ${one.radii.join(", ")} m${one.drawn ? "" : ": too large or too far away for the picture"}`;
    draw();
  };
  for (const row of rows) {
    row.addEventListener("click", () => choose(row));
    row.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(row); } });
  }
  const chip = element("button", { type: "button", class: "chip", "aria-pressed": "false", title: "Of each link the ellipsoid of uniform density with its mass and moments" }, "ellipsoids of all links");
  chip.addEventListener("click", () => { scene.all = !scene.all; chip.setAttribute("aria-pressed", String(scene.all)); draw(); });
  byId("layers").append(chip);
  const fit = () => {
    const { canvas } = drawing, ratio = Math.min(window.devicePixelRatio || 1, 2);
    canvas.width = Math.round(canvas.clientWidth * ratio);
    canvas.height = Math.round(canvas.clientHeight * ratio);
    draw();
  };
  window.armdyn = { scene, camera, choose: (k) => choose(rows[k]), frames: 0 };
  new ResizeObserver(fit).observe(drawing.canvas);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { colours.read(); draw(); });
  drawing.canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
  drawing.canvas.addEventListener("webglcontextrestored", () => { drawing.prepare(); draw(); });
  fit();
  const first = rows.find((row) => row.dataset.link);
  if (first) choose(first);
}

if (DOCTOR.bodies) begin();
