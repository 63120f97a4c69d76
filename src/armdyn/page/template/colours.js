/* The colours of the style sheet, for drawings; read again when the scheme changes. */

/** Names of the variables that are read. */
const COLOUR_NAMES = ["ink", "faint", "line", "accent", "metal", "joint", "slide", "grid", "kinetic", "potential", "work", "card"];

const colours = {
  read() {
    const style = getComputedStyle(document.documentElement);
    for (const name of COLOUR_NAMES) {
      this[name] = style.getPropertyValue(`--${name}`).trim();
    }
  },
  /** Red, green and blue from 0 to 1 of a name or of #rrggbb. */
  rgb(name) {
    const text = this[name] ?? name;
    return [1, 3, 5].map((k) => parseInt(text.slice(k, k + 2), 16) / 255);
  },
};
