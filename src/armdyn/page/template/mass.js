/* The mass matrix: numbers on a ground whose strength is that of the entry, as many digits as fit. */

const MOST_NUMBERS = 12; // joints, beyond which cells have colours alone
const LETTER = 0.62; // width of a figure, of the size of the letters
const LETTERS = 7; // figures a cell has room for at its size of letters: "−0.0032"

class MassPanel {
  constructor(place, robot) {
    const n = robot.joints.length, dense = n > MOST_NUMBERS;
    this.n = n; this.dense = dense; this.room = LETTERS;
    const grid = element("div", { class: dense ? "matrix dense" : "matrix", role: "img", "aria-label": "mass matrix" });
    grid.style.setProperty("--n", n);
    this.grid = grid;
    this.cells = [];
    for (let i = 0; i < n; i++) {
      if (!dense) grid.append(element("div", { class: "label", title: robot.joints[i].name }, robot.joints[i].short));
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
    if (!dense) new ResizeObserver(() => this.fit()).observe(grid);
  }

  /** Letters as large as cells have room for, and the number of figures that fit. */
  fit() {
    const wide = this.cells[0].clientWidth - 6, size = Math.max(8.5, Math.min(12.5, wide / (LETTER * LETTERS)));
    this.grid.style.setProperty("--letters", `${size.toFixed(2)}px`);
    this.room = Math.max(3, Math.floor(wide / (LETTER * size) + 0.05));
    if (this.seen) this.show(this.seen);
  }

  show(now) {
    this.seen = now;
    const { at, moving } = now, M = at.mass_matrix, largest = M.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
    this.cells.forEach((cell, k) => {
      const part = largest ? Math.sqrt(Math.abs(M[k]) / largest) : 0, sign = M[k] < 0 ? "negative" : "positive";
      const dust = Math.abs(M[k]) < 1e-12 * largest;
      cell.title = `M${Math.floor(k / this.n) + 1},${(k % this.n) + 1} = ${figure(M[k])}`;
      if (!this.dense) cell.textContent = dust ? "0" : within(M[k], Math.abs(M[k]) >= 0.001 && this.n < 7 ? 3 : 2, this.room);
      cell.style.background = dust ? "transparent" : `color-mix(in srgb, var(--${sign}) ${Math.round(4 + 44 * part)}%, transparent)`;
    });
    this.energy.textContent = `½ q̇ᵀM q̇ = ${figure(moving.kinetic_energy[0])} J, potential energy ${figure(at.potential_energy[0])} J.`;
  }
}
