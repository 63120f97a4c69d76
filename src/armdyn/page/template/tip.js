/* The tip's pose, and the semi-axes of its ellipsoids. */

class TipPanel {
  constructor(place, robot) {
    this.robot = robot;
    this.values = {};
    if (robot.tip === null) {
      place.append(element("p", {}, robot.without_tip));
      return;
    }
    const rows = { position: "position, m", turn: "roll, pitch, yaw", quaternion: "quaternion x y z w", ...Object.fromEntries(robot.ellipsoids.map((name) => [name, `${ELLIPSOIDS[name].label}, ${ELLIPSOIDS[name].unit}`])) };
    const list = element("dl", { class: "pairs", style: { margin: "0" } });
    for (const [name, label] of Object.entries(rows)) {
      this.values[name] = element("dd");
      list.append(element("dt", { title: ELLIPSOIDS[name]?.about ?? "" }, label), this.values[name]);
    }
    place.append(element("p", { class: "caption", style: { margin: "-4px 0 6px" } }, `frame ${robot.tip}, in base axes; of ellipsoids the semi-axes`), list);
  }

  show({ at, ellipsoids }) {
    if (this.robot.tip === null) return;
    const T = at.tip_pose, R = (i, j) => T[4 * i + j];
    const angles = turnsOf(R);
    this.values.position.textContent = [3, 7, 11].map((k) => fixed(T[k], 4)).join("  ");
    this.values.turn.textContent = angles.map((x) => `${fixed(x * DEGREES, 2)}°`).join("  ");
    this.values.quaternion.textContent = quaternionOf(R).map((x) => fixed(x, 4)).join("  ");
    for (const [name, { lengths }] of Object.entries(ellipsoids)) {
      this.values[name].textContent = lengths.map((x) => (x === null ? "no bound" : figure(x, 3))).join("  ");
    }
  }
}

/** Roll, pitch and yaw of a rotation Rz(yaw) Ry(pitch) Rx(roll); the roll is what the yaw leaves, also where z points along x. */
function turnsOf(R) {
  const yaw = Math.atan2(R(1, 0), R(0, 0)), s = Math.sin(yaw), c = Math.cos(yaw);
  return [Math.atan2(s * R(0, 2) - c * R(1, 2), c * R(1, 1) - s * R(0, 1)), Math.atan2(-R(2, 0), Math.hypot(R(0, 0), R(1, 0))), yaw];
}

/** x, y, z, w of a rotation, w not negative. */
function quaternionOf(R) {
  const squares = [1 + R(0, 0) - R(1, 1) - R(2, 2), 1 - R(0, 0) + R(1, 1) - R(2, 2), 1 - R(0, 0) - R(1, 1) + R(2, 2), 1 + R(0, 0) + R(1, 1) + R(2, 2)];
  const k = squares.indexOf(Math.max(...squares)), s = 2 * Math.sqrt(squares[k]);
  const skew = [R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1)];
  const found = k === 3 ? [...skew.map((x) => x / s), s / 4] : [0, 1, 2].map((i) => (i === k ? s / 4 : (R(i, k) + R(k, i)) / s)).concat(skew[k] / s);
  return found[3] < 0 ? found.map((x) => -x) : found;
}
