/* The page: functions, state, panels and picture, put together. */

const LAYERS = [["bodies", "bodies"], ["skeleton", "skeleton"], ["frames", "frames"], ["trace", "trace"], ["velocity", "velocity"], ["force", "force"], ["acceleration", "acceleration"], ["inertias", "inertias"]];

const titleOf = (name) => (name in ELLIPSOIDS ? `Ellipsoid of ${ELLIPSOIDS[name].about}` : name === "inertias" ? "Of each link the ellipsoid of uniform density with its mass and inertia" : null);

/** What is drawn, as buttons that stay pressed. */
function layerButtons(place, scene, changed) {
  const { about } = scene;
  for (const [name, label] of LAYERS) {
    if (name === "bodies" && !about.bodies.length) continue;
    if (name in ELLIPSOIDS && !about.ellipsoids.includes(name)) continue;
    if (name === "trace" && (about.tip === null || !about.fall)) continue;
    const colour = ELLIPSOIDS[name]?.colour ?? (name === "inertias" ? [0.75, 0.25, 0.5] : null);
    const dot_ = colour && element("span", { class: "dot", style: { background: `rgb(${colour.map((x) => Math.round(255 * x))})` } });
    const button = element("button", { type: "button", class: "chip", "aria-pressed": String(scene.layers[name]), title: titleOf(name) }, dot_, label);
    button.addEventListener("click", () => {
      scene.layers[name] = !scene.layers[name];
      button.setAttribute("aria-pressed", String(scene.layers[name]));
      changed();
    });
    place.append(button);
  }
}

/** How far the WebAssembly is from the numbers that NumPy gave when the page was made, relative to the largest. */
function disagreement(functions, reference) {
  const found = functions.at(reference.q);
  return Math.max(...Object.entries(reference.values).map(([name, expected]) => {
    const size = Math.max(...expected.map(Math.abs), 1e-300);
    return Math.max(...expected.map((x, k) => Math.abs(x - found[name][k]))) / size;
  }));
}

async function begin() {
  colours.read();
  const functions = await load();
  const state = new State(ROBOT, functions), scene = new Scene(ROBOT);
  const drawing = drawingOn(byId("view"));
  if (drawing instanceof FlatDrawing) scene.layers.skeleton = true;
  let asked = false, shown = false, now = state.now(), last = null;
  const draw = () => { if (!asked) { asked = true; requestAnimationFrame((time) => picture(time)); } };
  const show = () => { shown = false; draw(); };
  const joints = new JointPanel(byId("joints"), byId("joint-tools"), ROBOT, state, (what) => {
    state.held = null;
    if (what === "moved") { state.qd.fill(0); state.qdd.fill(0); scene.trace.length = 0; }
    transport?.restart();
    show();
  });
  const fall = ROBOT.fall && new Fall(state, ROBOT.fall, (place) => scene.follow(place));
  const panels = [new ForcePanel(byId("forces"), ROBOT, (k) => fall?.running && fall.onStop(k)), new MassPanel(byId("mass"), ROBOT), new TipPanel(byId("tip"), ROBOT)];
  const transport = fall && new Transport(byId("transport"), fall, joints, show);
  if (!fall) for (const id of ["transport", "charts"]) byId(id).hidden = true, (byId(id).style.display = "none");
  const camera = new Camera(drawing.canvas, ROBOT, draw);
  if (ROBOT.drags) new TipDrag(drawing.canvas, camera, state, () => { if (fall) fall.running = false; joints.changed("moved"); }, (held) => { scene.held = held; draw(); });
  drawing.canvas.addEventListener("pointerdown", () => byId("hint").classList.add("read"), { once: true });
  layerButtons(byId("layers"), scene, draw);

  const slow = new Slowness();
  const fit = () => {
    const { canvas } = drawing, ratio = Math.min(window.devicePixelRatio || 1, 2) * slow.share;
    const size = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
    if (canvas.width !== size[0] || canvas.height !== size[1]) [canvas.width, canvas.height] = size;
    show();
  };
  new ResizeObserver(fit).observe(drawing.canvas);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { colours.read(); show(); });
  drawing.canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
  drawing.canvas.addEventListener("webglcontextrestored", () => { drawing.prepare(); draw(); });

  const picture = (time) => {
    asked = false;
    if (fall?.running) {
      if (last !== null) {
        fall.advance((time - last) / 1000);
        shown = false;
        if (slow.sees(time - last)) fit();
      }
      fall.rate.see(time, fall.time);
      last = time;
    } else last = null;
    if (!shown) {
      now = state.now();
      joints.show();
      for (const panel of panels) panel.show(now);
      transport?.show();
      if (fall?.running) byId("hint").classList.add("read");
    }
    scene.draw(drawing, camera.seen(), now);
    shown = true;
    window.armdyn.frames += 1;
    if (fall?.running) draw();
  };
  window.armdyn = {
    robot: ROBOT, functions, state, fall, forces: panels[0], scene, camera, frames: 0, drawing: drawing.constructor.name,
    disagreement: disagreement(functions, ROBOT.reference),
    now: () => state.now(),
    /** Move the arm, rad or m. */
    set: (q) => joints.go(q),
    /** Joint positions, rad or m, near these that bring the tip to a point, m. */
    towards: (point) => towardsPoint(ROBOT, functions, state.q, point, null, ROBOT.size),
  };
  byId("check").textContent = `NumPy and this page's WebAssembly agree to ${window.armdyn.disagreement.toExponential(1)}.`;
  fit();
}

begin().catch((error) => {
  byId("live").hidden = true;
  byId("live").style.display = "none";
  byId("failure").hidden = false;
  byId("failure").textContent = `The live part cannot run here: ${error.message}. The tables below are complete.`;
  console.error(error);
});
