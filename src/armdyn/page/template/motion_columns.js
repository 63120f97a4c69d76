/* Columns of a motion: numbers from text, values between rows, extremes of each column of pixels. */

function bytesOf(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const packed = atob(text), bytes = new Uint8Array(packed.length);
  for (let k = 0; k < packed.length; k++) bytes[k] = packed.charCodeAt(k);
  return bytes;
}

/** The bytes of a block of the page, which is let go: inflated, and values of so many bytes put together from planes. */
async function blockOf(number, wide) {
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

class Columns {
  constructor(columns, motions) {
    this.columns = columns;
    this.read = new Map();
    this.reading = new Map();
    this.motions = motions;
    const ends = this.motions.map(({ t }) => [t[0], t[t.length - 1]]);
    this.start = Math.min(...ends.map((one) => one[0]));
    this.end = Math.max(...ends.map((one) => one[1]));
    if (!(this.end > this.start)) this.end = this.start + 1e-3;
  }

  /** With the times of the motions read. */
  static async of({ columns, motions }) {
    const read = await Promise.all(motions.map(({ t }) => timesOf(t)));
    return new Columns(columns, motions.map(({ rows, breaks }, k) => ({ t: read[k], rows, breaks: new Set(breaks) })));
  }

  /** Read columns that are not yet. */
  async load(names) {
    await Promise.all(names.filter((name) => !this.read.has(name)).map((name) => {
      if (!this.reading.has(name)) this.reading.set(name, numbersOf(this.columns[name].block).then((values) => this.read.set(name, values)));
      return this.reading.get(name);
    }));
  }

  /** Numbers of a column that has been read. */
  of(name) { return this.read.get(name); }

  motionOf(name) { return this.motions[this.columns[name].motion]; }

  /** The last row at or before a time; -1 before the first. */
  static row(t, time) {
    let low = 0, high = t.length;
    while (low < high) { const middle = (low + high) >> 1; if (t[middle] <= time) low = middle + 1; else high = middle; }
    return low - 1;
  }

  /** The value at a time, on the line between two rows; NaN outside and in gaps. */
  at(name, time) {
    const { t, breaks } = this.motionOf(name), values = this.of(name), last = t.length - 1;
    if (time < t[0] || time > t[last]) return NaN;
    const k = Columns.row(t, time);
    if (k >= last || t[k] === time) return values[Math.min(k, last)];
    if (breaks.has(k + 1)) return NaN;
    return values[k] + ((time - t[k]) / (t[k + 1] - t[k])) * (values[k + 1] - values[k]);
  }

  /** Points of a column between two times as [times, values]: all, or the extremes of so many intervals; null in gaps. */
  points(name, from, to, intervals, factor) {
    const { t, breaks } = this.motionOf(name), values = this.of(name), xs = [], ys = [];
    const first = Math.max(Columns.row(t, from), 0), last = Math.min(Columns.row(t, to) + 1, t.length - 1);
    const put = (k) => {
      if (breaks.has(k) && xs.length) { xs.push(0.5 * (t[k - 1] + t[k])); ys.push(null); }
      const y = values[k] * factor;
      xs.push(t[k]); ys.push(Number.isFinite(y) ? y : null);
    };
    if (last - first + 1 <= 4 * intervals) {
      for (let k = first; k <= last; k++) put(k);
      return [xs, ys];
    }
    const share = (to - from) / intervals;
    let k = first;
    while (k <= last) {
      const end = from + share * (Math.floor((t[k] - from) / share) + 1);
      let least = k, most = k, hole = -1;
      const begin = k;
      for (; k <= last && (k === begin || t[k] < end); k++) {
        const y = values[k];
        if (!(y === y) || breaks.has(k)) hole = k;
        if (y < values[least] || values[least] !== values[least]) least = k;
        if (y > values[most] || values[most] !== values[most]) most = k;
      }
      for (const row of [...new Set([begin, least, most, hole, k - 1])].filter((row) => row >= 0).sort((a, b) => a - b)) put(row);
    }
    return [xs, ys];
  }
}
