/* Numbers as text. */

const MINUS = "\u2212";
const signed = (text) => text.replaceAll("-", MINUS);

/** So many significant digits, with what rounding leaves of a zero taken as one. */
function figure(x, digits = 4) {
  if (!Number.isFinite(x)) return Number.isNaN(x) ? "–" : x > 0 ? "∞" : `${MINUS}∞`;
  if (Math.abs(x) < 1e-12) return "0";
  const size = Math.abs(x);
  const text = size >= 1e5 || size < 1e-4 ? x.toExponential(Math.max(digits - 2, 0)) : x.toPrecision(digits);
  return signed(text.includes("e") ? text.replace("e+", "e") : text.includes(".") ? text.replace(/\.?0+$/, "") : text);
}

/** So many digits behind the point; what would be -0 is 0. */
function fixed(x, digits) {
  const text = x.toFixed(digits);
  return signed(Number(text) === 0 ? text.replace("-", "") : text);
}

/** So many significant digits, or as many as fit in so many letters; nothing if not even one does. */
function within(x, digits, letters) {
  for (let count = digits; count > 0; count--) {
    const text = figure(x, count), short = signed(x.toExponential(count - 1).replace("e+", "e"));
    for (const one of [text, short]) if (one.length <= letters) return one;
  }
  return "";
}
