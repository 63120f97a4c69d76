/* Triangles: unpacked from the page, smoothed, and simple solids. A mesh is {positions, normals}, nine numbers a triangle. */

const unpacked = (text, Kind) => new Kind(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);

/** The mesh of a body of the page. */
function bodyMesh(body) {
  const whole = unpacked(body.points, Uint16Array), faces = unpacked(body.faces, body.wide ? Uint32Array : Uint16Array);
  const corners = new Float32Array(whole.length);
  for (let k = 0; k < whole.length; k++) corners[k] = body.low[k % 3] + body.step * whole[k];
  return smoothed(corners, faces);
}

/** Normals are means over the faces at a corner that are less than a crease apart. */
function smoothed(corners, faces, crease = 0.77) {
  const count = faces.length / 3, normals = new Float32Array(faces.length), units = new Float32Array(faces.length);
  const at = (k) => [corners[3 * k], corners[3 * k + 1], corners[3 * k + 2]];
  const starts = new Uint32Array(corners.length / 3 + 1);
  for (let f = 0; f < count; f++) {
    const [a, b, c] = [at(faces[3 * f]), at(faces[3 * f + 1]), at(faces[3 * f + 2])];
    const n = cross(minus(b, a), minus(c, a));
    normals.set(n, 3 * f);
    units.set(unit(n), 3 * f);
    for (let k = 0; k < 3; k++) starts[faces[3 * f + k] + 1]++;
  }
  for (let k = 1; k < starts.length; k++) starts[k] += starts[k - 1];
  const around = new Uint32Array(faces.length), filled = starts.slice();
  for (let k = 0; k < faces.length; k++) around[filled[faces[k]]++] = Math.floor(k / 3);
  const mesh = { positions: new Float32Array(3 * faces.length), normals: new Float32Array(3 * faces.length) };
  for (let k = 0; k < faces.length; k++) {
    const corner = faces[k], f = Math.floor(k / 3);
    let x = 0, y = 0, z = 0;
    for (let i = starts[corner]; i < starts[corner + 1]; i++) {
      const g = around[i];
      if (units[3 * f] * units[3 * g] + units[3 * f + 1] * units[3 * g + 1] + units[3 * f + 2] * units[3 * g + 2] < crease) continue;
      x += normals[3 * g]; y += normals[3 * g + 1]; z += normals[3 * g + 2];
    }
    mesh.positions.set(at(corner), 3 * k);
    mesh.normals.set(unit([x, y, z]), 3 * k);
  }
  return mesh;
}

/** The surface of a profile (radius, height) turned about z. */
function turnedMesh(profile, sides = 28) {
  const corners = [], faces = [];
  for (const [radius, height] of profile) for (let k = 0; k < sides; k++) {
    const angle = (2 * Math.PI * k) / sides;
    corners.push(radius * Math.cos(angle), radius * Math.sin(angle), height);
  }
  for (let ring = 0; ring + 1 < profile.length; ring++) for (let k = 0; k < sides; k++) {
    const a = ring * sides + k, b = ring * sides + ((k + 1) % sides), c = a + sides, d = b + sides;
    faces.push(a, b, d, a, d, c);
  }
  return smoothed(Float32Array.from(corners), Uint32Array.from(faces));
}

const tubeMesh = () => turnedMesh([[0, 0], [1, 0], [1, 1], [0, 1]]);
const ballMesh = () => turnedMesh(Array.from({ length: 19 }, (_, k) => [Math.sin((Math.PI * k) / 18), -Math.cos((Math.PI * k) / 18)]), 36);
const boxMesh = () => {
  const corners = [], faces = [];
  for (let axis = 0; axis < 3; axis++) for (const side of [-1, 1]) {
    const first = corners.length / 3;
    for (const [u, v] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) {
      const p = [0, 0, 0];
      p[axis] = side; p[(axis + 1) % 3] = u * side; p[(axis + 2) % 3] = v;
      corners.push(...p);
    }
    faces.push(first, first + 1, first + 2, first, first + 2, first + 3);
  }
  return smoothed(Float32Array.from(corners), Uint32Array.from(faces));
};
