/* The mass matrix: numbers on a ground whose strength is that of the entry. */

const MOST_NUMBERS = 12; // joints, beyond which cells have colours alone

class MassPanel {
  constructor(place, robot) {
    const n = robot.joints.length, dense = n > MOST_NUMBERS;
    this.n = n; this.dense = dense;
    const grid = element("div", { class: dense ? "matrix dense" : "matrix", role: "img", "aria-label": "mass matrix" });
    grid.style.setProperty("--n", n);
    this.cells = [];
    for (let i = 0; i < n; i++) {
      if (!dense) grid.append(element("div", { class: "label", title: robot.joints[i].name }, robot.joints[i].name));
      for (let j = 0; j < n; j++) {
        const cell = element("span");
        this.cells.push(cell);
        grid.append(cell);
      }
    }
    const kinds = new Set(robot.joints.map((joint) => joint.kind));
    const units = kinds.size > 1 ? "kg m², kg m and kg" : kinds.has("prismatic") ? "kg" : "kg m²";
    this.energy = element("span");
    place.append(grid);
    place.after(element("p", { class: "caption" }, `${units}; blue is positive, orange negative. `, this.energy));
  }

  show({ at, moving }) {
    const M = at.mass_matrix, largest = M.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
    this.cells.forEach((cell, k) => {
      const part = largest ? Math.sqrt(Math.abs(M[k]) / largest) : 0, sign = M[k] < 0 ? "negative" : "positive";
      const dust = Math.abs(M[k]) < 1e-12 * largest;
      if (!this.dense) cell.textContent = dust ? "0" : figure(M[k], Math.abs(M[k]) >= 0.001 && this.n < 7 ? 3 : 2);
      else cell.title = `M${Math.floor(k / this.n) + 1},${(k % this.n) + 1} = ${figure(M[k])}`;
      cell.style.background = dust ? "transparent" : `color-mix(in srgb, var(--${sign}) ${Math.round(4 + 44 * part)}%, transparent)`;
    });
    this.energy.textContent = `½ q̇ᵀM q̇ = ${figure(moving.kinetic_energy[0])} J, potential energy ${figure(at.potential_energy[0])} J.`;
  }
}
