/* Columns of a motion: numbers from text, values between rows, extremes of each column of pixels.
 *
 * The page opens with the overview of each column, its extremes in some hundred intervals. All rows are blocks of text
 * at the end of the document, which are read after the first picture.
 */

const PIECE = 16; // rows whose least and largest value are known before a picture

function bytesOf(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const packed = atob(text), bytes = new Uint8Array(packed.length);
  for (let k = 0; k < packed.length; k++) bytes[k] = packed.charCodeAt(k);
  return bytes;
}

/** The document is read to its end, with all blocks. */
const parsed = new Promise((resolve) => { if (document.readyState === "loading") addEventListener("DOMContentLoaded", resolve); else resolve(); });

/** The bytes of a block of the page, which is let go: inflated, and values of so many bytes put together from planes. */
async function blockOf(number, wide) {
  await parsed;
  const place = byId(`block-${number}`), text = place.textContent;
  place.remove();
  const stream = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
  const planes = new Uint8Array(await new Response(stream).arrayBuffer()), count = planes.length / wide, bytes = new Uint8Array(planes.length);
  for (let plane = 0; plane < wide; plane++) for (let k = 0, from = plane * count; k < count; k++) bytes[k * wide + plane] = planes[from + k];
  return bytes.buffer;
}

const timesOf = async (number) => new Float64Array(await blockOf(number, 8));

/** Numbers in single precision of the differences of their bits. */
async function numbersOf(number) {
  const buffer = await blockOf(number, 4), bits = new Uint32Array(buffer);
  for (let k = 1; k < bits.length; k++) bits[k] += bits[k - 1];
  return new Float32Array(buffer);
}

/** The rows of the least and the largest value of each piece of rows; the least is -1 for a piece with a gap. */
function extremesOf(values, breaks) {
  const count = Math.floor(values.length / PIECE), least = new Int32Array(count), most = new Int32Array(count);
  for (let piece = 0; piece < count; piece++) {
    let low = piece * PIECE, high = low, whole = true;
    for (let k = low, end = low + PIECE; k < end; k++) {
      const y = values[k];
      if (y !== y) whole = false;
      if (y < values[low]) low = k;
      if (y > values[high]) high = k;
    }
    least[piece] = whole ? low : -1; most[piece] = high;
  }
  for (const row of breaks) if (row < count * PIECE) least[Math.floor(row / PIECE)] = -1;
  return { least, most };
}

class Columns {
  constructor({ columns, motions }) {
    this.columns = columns;
    this.motions = motions.map(({ rows, breaks, start, end }) => ({ t: null, rows, breaks: new Set(breaks), start, end }));
    this.blocks = motions.map(({ t }) => t);
    this.read = new Map(); this.extremes = new Map(); this.reading = new Map(); this.overviews = new Map();
    this.start = Math.min(...motions.map((one) => one.start));
    this.end = Math.max(...motions.map((one) => one.end));
    if (!(this.end > this.start)) this.end = this.start + 1e-3;
  }

  /** Read columns that are not yet, and the times of their motions. */
  async load(names) {
    await Promise.all(names.filter((name) => !this.read.has(name)).map((name) => {
      if (!this.reading.has(name)) this.reading.set(name, this.one(name));
      return this.reading.get(name);
    }));
  }

  async one(name) {
    const { motion, block } = this.columns[name], key = `times ${motion}`;
    if (!this.reading.has(key)) this.reading.set(key, timesOf(this.blocks[motion]).then((t) => { this.motions[motion].t = t; }));
    const [values] = await Promise.all([numbersOf(block), this.reading.get(key)]);
    this.extremes.set(name, extremesOf(values, this.motions[motion].breaks));
    this.read.set(name, values);
  }

  /** Numbers of a column that has been read. */
  of(name) { return this.read.get(name); }

  motionOf(name) { return this.motions[this.columns[name].motion]; }

  /** Times, s from the start of its motion, and values of the overview of a column; null without one. */
  overview(name) {
    const { overview } = this.columns[name];
    if (!overview) return null;
    if (!this.overviews.has(name)) {
      const both = new Float32Array(bytesOf(overview).buffer), count = both.length / 2;
      this.overviews.set(name, { t: both.subarray(0, count), y: both.subarray(count) });
    }
    return this.overviews.get(name);
  }

  /** The last row at or before a time; -1 before the first. */
  static row(t, time) {
    let low = 0, high = t.length;
    while (low < high) { const middle = (low + high) >> 1; if (t[middle] <= time) low = middle + 1; else high = middle; }
    return low - 1;
  }

  /** The value at a time, on the line between two rows; NaN outside and in gaps; of the overview before all rows are read. */
  at(name, time) {
    const { t, breaks, start, end } = this.motionOf(name), values = this.of(name);
    if (time < start || time > end) return NaN;
    if (values) return Columns.between(t, values, time, breaks);
    const found = this.overview(name);
    return found ? Columns.between(found.t, found.y, time - start) : NaN;
  }

  static between(t, values, time, breaks = null) {
    const last = t.length - 1, k = Columns.row(t, time);
    if (k >= last || t[k] === time) return values[Math.min(k, last)];
    if (breaks?.has(k + 1)) return NaN;
    return values[k] + ((time - t[k]) / (t[k + 1] - t[k])) * (values[k + 1] - values[k]);
  }

  /** Points of a column between two times as [times, values]: all, or the extremes of so many intervals; null in gaps. */
  points(name, from, to, intervals, factor) {
    const { t, breaks, start } = this.motionOf(name), values = this.of(name), xs = [], ys = [];
    if (!values) {
      const found = this.overview(name), first = Math.max(Columns.row(found.t, from - start), 0), last = Math.min(Columns.row(found.t, to - start) + 1, found.t.length - 1);
      for (let k = first; k <= last; k++) { const y = found.y[k] * factor; xs.push(start + found.t[k]); ys.push(Number.isFinite(y) ? y : null); }
      return [xs, ys];
    }
    const first = Math.max(Columns.row(t, from), 0), last = Math.min(Columns.row(t, to) + 1, t.length - 1);
    const put = (k) => {
      if (breaks.has(k) && xs.length) { xs.push(0.5 * (t[k - 1] + t[k])); ys.push(null); }
      const y = values[k] * factor;
      xs.push(t[k]); ys.push(Number.isFinite(y) ? y : null);
    };
    if (last - first + 1 <= 2 * intervals) {
      for (let k = first; k <= last; k++) put(k);
      return [xs, ys];
    }
    const { least: lows, most: highs } = this.extremes.get(name), share = (to - from) / intervals;
    put(first);
    let k = first + 1;
    while (k <= last) {
      const end = from + share * (Math.floor((t[k] - from) / share) + 1);
      let least = k, most = k, hole = -1;
      const begin = k;
      while (k <= last && (k === begin || t[k] < end)) {
        const piece = k / PIECE;
        if (Number.isInteger(piece) && k + PIECE - 1 <= last && lows[piece] >= 0 && t[k + PIECE - 1] < end) {
          const low = lows[piece], high = highs[piece];
          if (values[low] < values[least] || values[least] !== values[least]) least = low;
          if (values[high] > values[most] || values[most] !== values[most]) most = high;
          k += PIECE;
          continue;
        }
        const y = values[k];
        if (!(y === y) || breaks.has(k)) hole = k;
        if (y < values[least] || values[least] !== values[least]) least = k;
        if (y > values[most] || values[most] !== values[most]) most = k;
        k++;
      }
      if (hole >= 0) for (const row of [...new Set([begin, least, most, hole, k - 1])].sort((a, b) => a - b)) put(row);
      else { put(Math.min(least, most)); if (least !== most) put(Math.max(least, most)); }
    }
    if (xs[xs.length - 1] !== t[last]) put(last);
    return [xs, ys];
  }
}
