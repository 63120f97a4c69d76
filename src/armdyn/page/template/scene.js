/* What stands in the picture: bodies, skeleton, frames, ellipsoids, the trace of the tip. */

const AXES = [[0.84, 0.15, 0.16], [0.17, 0.63, 0.17], [0.2, 0.42, 0.95]];
const TRACE = 4000; // points

class Scene {
  constructor(about) {
    this.about = about;
    this.meshes = about.bodies.map((body) => ({ link: body.link, mesh: bodyMesh(body), colour: body.color }));
    this.layers = { bodies: about.bodies.length > 0, skeleton: about.bodies.length === 0, frames: true, velocity: false, force: false, acceleration: false, inertias: false, trace: true };
    this.trace = [];
    this.held = false; // the tip, by a pointer
    this.grid = gridLines(about);
  }

  follow(point) {
    this.trace.push(point);
    if (this.trace.length > TRACE) this.trace.shift();
  }

  /** `ghost`: poses of another motion, drawn as glass. */
  draw(drawing, camera, now, ghost = null) {
    const { layers, about } = this, size = about.size;
    const poses = about.links.map((_, k) => poseOf(now.at.poses, k));
    drawing.begin(camera);
    drawing.lines(this.grid, [...colours.rgb("grid"), 0.9], { fade: 1.5 * size });
    if (layers.bodies) for (const { link, mesh, colour } of this.meshes) drawing.solid(mesh, poses[link], colour ? softened(colour) : colours.rgb("metal"), (colour?.[3] ?? 1) < OPAQUE);
    if (layers.skeleton) this.skeleton(drawing, poses);
    if (ghost && layers.ghost) this.ghost(drawing, about.links.map((_, k) => poseOf(ghost, k)));
    if (layers.frames) {
      triad(drawing, poses[0], size);
      if (now.tip) triad(drawing, now.tip, size);
    }
    if (now.tip && about.drags) drawing.knob(origin(now.tip), (this.held ? 0.034 : 0.025) * size, colours.rgb("accent"));
    if (layers.inertias) for (const one of about.inertias) this.inertia(drawing, poses[one.link], one);
    if (now.tip) for (const [name, found] of Object.entries(now.ellipsoids)) if (layers[name]) this.ellipsoid(drawing, now.tip, found, ELLIPSOIDS[name].colour);
    if (layers.trace && this.trace.length > 1) drawing.lines(this.trace.flat(), [...colours.rgb("accent"), 0.9], { strip: true });
    drawing.finish();
  }

  ghost(drawing, poses) {
    const { about } = this, colour = [...colours.rgb("joint"), 0.5], radius = 0.016 * about.size;
    if (this.layers.bodies) for (const { link, mesh } of this.meshes) drawing.solid(mesh, poses[link], colour, true);
    if (!this.layers.skeleton && this.meshes.length) return;
    for (const [a, b] of about.segments) drawing.rod(origin(poses[a]), origin(poses[b]), radius, colour, true);
    for (const { link, at } of about.points) drawing.rod(origin(poses[link]), moved(poses[link], at), radius, colour, true);
  }

  skeleton(drawing, poses) {
    const { about } = this, radius = 0.016 * about.size, metal = colours.rgb("metal");
    const base = origin(poses[0]), up = about.planar ? about.eye : about.up;
    drawing.rod(minus(base, times(0.6 * radius, up)), plus(base, times(0.6 * radius, up)), 4.2 * radius, metal);
    for (const [a, b] of about.segments) drawing.rod(origin(poses[a]), origin(poses[b]), radius, metal);
    for (const { link, at } of about.points) drawing.rod(origin(poses[link]), moved(poses[link], at), radius, metal);
    about.links.forEach((_, k) => k && drawing.knob(origin(poses[k]), 1.02 * radius, metal));
    for (const { link, at } of about.points) drawing.knob(moved(poses[link], at), 1.02 * radius, metal);
    for (const { link, axis, kind } of about.axes) {
      const at = origin(poses[link]), z = turned(poses[link], axis), half = times(2.5 * radius, z);
      if (kind === "revolute") drawing.rod(minus(at, half), plus(at, half), 1.9 * radius, colours.rgb("joint"));
      else {
        const x = across(z), y = cross(z, x);
        drawing.block(frameOf(times(1.6 * radius, x), times(1.6 * radius, y), half, at), colours.rgb("slide"));
      }
    }
  }

  inertia(drawing, pose, { com, axes, radii }) {
    const thin = 0.002 * this.about.size;
    const [x, y, z] = [0, 1, 2].map((k) => times(Math.max(radii[k], thin), turned(pose, axes.map((row) => row[k]))));
    drawing.ellipsoid(x, y, z, moved(pose, com), [0.75, 0.25, 0.5]);
  }

  /** Drawn so that the largest semi-axis has a fixed length; an axis without bounds is left out. */
  ellipsoid(drawing, tip, { lengths, directions }, colour) {
    const largest = Math.max(...lengths.map((x) => x ?? 0)), scale = (0.24 * this.about.size) / (largest || 1), thin = 0.004 * this.about.size;
    const [x, y, z] = directions.map((d, k) => times(Math.max(scale * (lengths[k] ?? 0), thin), d));
    drawing.ellipsoid(x, y, z, origin(tip), colour);
  }
}

const OPAQUE = 0.95; // bodies of less opacity are drawn as glass
const softened = (colour) => [...colour.slice(0, 3).map((x) => 0.08 + 0.84 * x), colour[3] ?? 1];

function triad(drawing, pose, size) {
  const at = origin(pose);
  AXES.forEach((colour, k) => drawing.rod(at, plus(at, times(0.11 * size, column(pose, k))), 0.0045 * size, colour));
}

/** Lines of a grid about the base, in steps of 1, 2 or 5 times a power of ten. */
function gridLines({ grid, size, up }) {
  const reach = 1.5 * size, power = 10 ** Math.floor(Math.log10(size / 4));
  const step = [1, 2, 5, 10].map((k) => k * power).find((s) => size / s <= 6);
  const x = Math.abs(dot(grid, up)) > 0.9 ? across(grid) : unit(cross(up, grid)), y = cross(grid, x), points = [], count = Math.ceil(reach / step);
  const steps = 12;
  for (let k = -count; k <= count; k++) for (const [a, b] of [[x, y], [y, x]]) for (let i = 0; i < steps; i++) {
    for (const j of [i, i + 1]) points.push(...plus(times(k * step, a), times(count * step * ((2 * j) / steps - 1), b)));
  }
  return Float32Array.from(points);
}
