/* A chart of uPlot: curves by their extremes in each column of pixels, limits as bands, events, a cursor shared by all. */

const MARKS = { impact: "▼", release: "▲", rest: "■", contact: "▶", stick: "◆", slip: "●", reversal: "⬥", crossing: "✕", engaged: "✚", released: "★" };
/** A number of an axis: as few digits as it has. */
const SHORT = (x) => (Math.abs(x) > 1e-3 && Math.abs(x) < 1e5 ? figure(x, 6) : x === 0 ? "0" : signed(Number(x.toPrecision(6)).toExponential()));

class MotionChart {
  /** `place`: what the charts share: columns, view, events, and what a hover and a zoom do. */
  constructor(about, place, colour) {
    this.about = about; this.place = place; this.colour = colour; this.plot = null; this.visible = false; this.stale = true;
    this.drawn = ["other", "main", "reference"].flatMap((role) => about.series.filter((one) => one.role === role)); // from behind
    this.value = element("b", {});
    this.label = element("div", { class: "label" }, element("span", { title: about.title }, about.title), this.value);
    this.target = element("div", { class: "plot" });
    const named = about.series.filter((one) => one.name && one.role === "main");
    this.key = named.length > 1 ? named.map((one, k) => ({ column: one.column, value: element("b", {}), colour: `var(--c${k % 8})`, name: one.name })) : [];
    const key = this.key.length ? element("div", { class: "key" }, ...this.key.map(({ value, colour, name }) => element("span", {}, element("i", { style: { background: colour } }), `${name} `, value))) : null;
    this.whole = element("div", { class: "cell" }, this.label, key, this.target);
    this.whole.chart = this;
  }

  tint({ role, name, column }) {
    if (role === "other") return colours.other;
    if (role === "reference") return colours.ink;
    const main = this.about.series.filter((one) => one.role === "main");
    return name ? (main.length > 1 ? colours[`c${main.findIndex((one) => one.column === column) % 8}`] : colours.ink) : this.colour();
  }

  make() {
    const { about, place } = this, self = this;
    const axis = { stroke: () => colours.faint, grid: { stroke: () => colours.line, width: 1 }, ticks: { show: false }, font: "11px system-ui, sans-serif" };
    const series = this.drawn.map((one) => ({
      stroke: () => self.tint(one),
      width: one.role === "other" ? 4 : one.role === "reference" ? 1 : 1.5,
      alpha: one.role === "other" ? 0.55 : 1,
      dash: one.role === "reference" ? [5, 4] : undefined,
      points: { show: false }, spanGaps: false,
    }));
    const options = {
      width: Math.max(this.target.clientWidth, 60), height: Math.max(this.target.clientHeight, 60), legend: { show: false },
      padding: [10, 20, 0, 0],
      scales: { x: { time: false, auto: false, range: () => place.view }, y: { auto: false, range: () => self.range } },
      axes: [{ ...axis, size: 22, gap: 2, space: 60, values: (_, at) => at.map((x) => `${SHORT(x)} s`) }, { ...axis, size: 48, gap: 4, space: 24, values: (_, at) => at.map(SHORT) }],
      series: [{}, ...series],
      cursor: {
        y: false, points: { show: false }, drag: { x: true, y: false, setScale: false, dist: 6 },
        bind: { mouseleave: () => null, dblclick: () => () => { place.reset(); return null; } },
      },
      hooks: {
        drawClear: [(u) => self.bands(u)],
        draw: [(u) => self.events(u)],
        setCursor: [(u) => {
          const event = u.cursor.event; // stays after the mouse has gone: a zoom by a key calls this with it again
          if (event?.type !== "mousemove" || event === this.hovered || u.cursor.left < 0) return;
          this.hovered = event;
          place.hover(u.posToVal(u.cursor.left, "x"));
        }],
        setSelect: [(u) => {
          if (u.select.width < 6) return;
          const a = u.posToVal(u.select.left, "x"), b = u.posToVal(u.select.left + u.select.width, "x");
          u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          place.zoom(a, b);
        }],
      },
    };
    this.fill();
    this.plot = byProcessor(() => new uPlot(options, this.data, this.target));
    touches(this.plot.over, place);
    this.stale = false;
    this.mark(place.time());
  }

  /** Points of the view, and the range of values. */
  fill() {
    const { about, place } = this, [from, to] = place.view;
    const wide = Math.max(Math.round((this.target.clientWidth || 300) - 54), 50);
    const tables = this.drawn.map((one) => place.columns.points(one.column, from, to, wide, about.factor));
    let low = Infinity, high = -Infinity;
    tables.forEach(([, ys]) => { for (const y of ys) if (y !== null) { if (y < low) low = y; if (y > high) high = y; } });
    if (!(low <= high)) [low, high] = [-1, 1];
    const flat = 1e-9 * Math.max(Math.abs(low), Math.abs(high), 1e-6);
    let span = high - low;
    const bounds = [about.low, about.high].filter((bound) => typeof bound === "number");
    if (span <= flat) { const half = Math.abs(low) > 1e-9 ? 0.05 * Math.abs(low) : Math.min(...bounds.map(Math.abs).filter(Boolean), 1); low -= half; high += half; span = 2 * half; }
    for (const bound of bounds) if (bound > low - 0.35 * span && bound < high + 0.35 * span) { low = Math.min(low, bound); high = Math.max(high, bound); }
    span = high - low;
    this.range = [low - 0.06 * span, high + 0.06 * span];
    this.data = tables.length === 1 ? tables[0] : uPlot.join(tables, tables.map((one) => one.map(() => 1)));
  }

  refresh() {
    this.stale = true;
    if (!this.visible || !this.target.clientWidth || !this.ready()) return;
    if (!this.plot) { this.make(); return; }
    const size = { width: this.target.clientWidth, height: this.target.clientHeight };
    if (size.width !== this.plot.width || size.height !== this.plot.height) this.plot.setSize(size);
    this.fill();
    this.plot.batch(() => { this.plot.setData(this.data, false); this.plot.setScale("x", { min: this.place.view[0], max: this.place.view[1] }); this.plot.setScale("y", { min: this.range[0], max: this.range[1] }); });
    this.stale = false;
    this.mark(this.place.time());
  }

  /** Whether the chart can be drawn: by the overviews of its columns, until all their rows are read. */
  ready() {
    const { columns } = this.place, names = this.about.series.map((one) => one.column);
    if (names.every((name) => columns.read.has(name))) return true;
    this.place.wanted.add(this);
    return names.every((name) => columns.read.has(name) || columns.overview(name));
  }

  /** Read the columns, and draw the chart by all rows. */
  async load() {
    await this.place.columns.load(this.about.series.map((one) => one.column));
    this.beyond = null;
    this.refresh();
    this.place.player.changed();
  }

  see(visible) {
    this.visible = visible;
    if (visible && this.stale) this.refresh();
  }

  /** Values beyond the limits, and the times there, behind the curves. */
  bands(u) {
    const { about, place } = this, { ctx, bbox } = u;
    if (typeof about.low !== "number" && typeof about.high !== "number") return;
    ctx.save();
    ctx.beginPath(); ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height); ctx.clip();
    ctx.fillStyle = ctx.strokeStyle = colours.band;
    for (const [bound, side] of [[about.high, 1], [about.low, -1]]) {
      if (typeof bound !== "number") continue;
      const y = u.valToPos(bound, "y", true), end = side > 0 ? bbox.top : bbox.top + bbox.height;
      ctx.globalAlpha = 0.1; ctx.fillRect(bbox.left, Math.min(y, end), bbox.width, side > 0 ? Math.max(y - end, 0) : Math.max(end - y, 0));
      ctx.globalAlpha = 0.8; ctx.lineWidth = uPlot.pxRatio; ctx.setLineDash([7 * uPlot.pxRatio, 4 * uPlot.pxRatio]);
      ctx.beginPath(); ctx.moveTo(bbox.left, y); ctx.lineTo(bbox.left + bbox.width, y); ctx.stroke();
    }
    ctx.globalAlpha = 0.12;
    for (const [a, b] of this.outside()) {
      const x = u.valToPos(a, "x", true), end = u.valToPos(b, "x", true);
      if (end >= bbox.left && x <= bbox.left + bbox.width) ctx.fillRect(x, bbox.top, Math.max(end - x, uPlot.pxRatio), bbox.height);
    }
    ctx.restore();
  }

  /** Times from and to which the motion is beyond a limit, s. */
  outside() {
    if (this.beyond) return this.beyond;
    const { about, place } = this, { column } = about.series[0];
    if (!place.columns.read.has(column)) return [];
    const values = place.columns.of(column), { t } = place.columns.motionOf(column);
    const high = typeof about.high === "number" ? about.high : Infinity, low = typeof about.low === "number" ? about.low : -Infinity;
    const slack = 1e-6 * Math.max(Math.abs(Number.isFinite(high) ? high : 0), Math.abs(Number.isFinite(low) ? low : 0), 1e-9);
    this.beyond = [];
    let since = -1;
    for (let k = 0; k <= values.length; k++) {
      const y = k < values.length ? values[k] * about.factor : NaN, out = y > high + slack || y < low - slack;
      if (out && since < 0) since = k;
      if (!out && since >= 0) { this.beyond.push([t[since], t[k - 1]]); since = -1; }
    }
    return this.beyond;
  }

  events(u) {
    const { ctx, bbox } = u, { place } = this, ratio = uPlot.pxRatio;
    if (!place.events.length) return;
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = colours.event; ctx.lineWidth = ratio; ctx.font = `${8 * ratio}px system-ui, sans-serif`; ctx.textAlign = "center"; ctx.textBaseline = "bottom";
    let last = -Infinity;
    for (const { t, kind } of place.events) {
      const x = u.valToPos(t, "x", true);
      if (x < bbox.left || x > bbox.left + bbox.width || x - last < 2 * ratio) continue;
      last = x;
      ctx.globalAlpha = 0.45; ctx.setLineDash([2 * ratio, 3 * ratio]);
      ctx.beginPath(); ctx.moveTo(x, bbox.top); ctx.lineTo(x, bbox.top + bbox.height); ctx.stroke();
      ctx.globalAlpha = 1; ctx.fillText(MARKS[kind] ?? "|", x, bbox.top + ratio);
    }
    ctx.restore();
  }

  /** The cursor, and the values there. */
  mark(time) {
    const { about, place } = this;
    if (!this.visible || !this.plot) return;
    this.plot.setCursor({ left: this.plot.valToPos(time, "x"), top: 0 }, false);
    const main = about.series.filter((one) => one.role === "main"), shown = main[main.length - 1];
    if (!place.columns.read.has(shown.column) && time !== place.columns.start) { this.value.textContent = "…"; return; }
    for (const { column, value } of this.key) value.textContent = figure(place.columns.at(column, time) * about.factor, 4);
    if (this.key.length) { this.value.textContent = about.unit; return; }
    const value = place.columns.at(shown.column, time) * about.factor;
    const other = about.series.find((one) => one.role === "other");
    const more = other ? ` (${figure(place.columns.at(other.column, time) * about.factor, 4)})` : "";
    this.value.textContent = `${figure(value, 5)}${more} ${about.unit}`.trim();
    this.label.classList.toggle("over", (typeof about.high === "number" && value > about.high) || (typeof about.low === "number" && value < about.low));
  }
}

/** Make a chart whose canvas is drawn by the processor: small and redrawn often, it is twice as fast so where there is no graphics processor. */
function byProcessor(make) {
  const own = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function (kind) { return own.call(this, kind, { willReadFrequently: true }); };
  try { return make(); } finally { HTMLCanvasElement.prototype.getContext = own; }
}

/** One finger moves the cursor, two zoom. */
function touches(over, place) {
  const down = new Map();
  let before = null;
  const at = (x) => { const box = over.getBoundingClientRect(), [a, b] = place.view; return a + ((x - box.left) / box.width) * (b - a); };
  over.addEventListener("pointerdown", (event) => { if (event.pointerType !== "mouse") { down.set(event.pointerId, event.clientX); before = null; } });
  over.addEventListener("pointermove", (event) => {
    if (!down.has(event.pointerId)) return;
    down.set(event.pointerId, event.clientX);
    const [a, b] = [...down.values()].sort((x, y) => x - y);
    if (b === undefined) { place.hover(at(a)); return; }
    const now = [at(a), at(b)];
    if (before && now[1] - now[0] > 1e-9) {
      const share = (before[1] - before[0]) / (now[1] - now[0]), [from, to] = place.view, middle = 0.5 * (now[0] + now[1]), was = 0.5 * (before[0] + before[1]);
      place.zoom(was - (middle - from) * share, was + (to - middle) * share);
    }
    before = [at(a), at(b)];
  });
  for (const end of ["pointerup", "pointercancel", "pointerleave"]) over.addEventListener(end, (event) => { down.delete(event.pointerId); before = null; });
  over.addEventListener("wheel", (event) => {
    const sideways = event.shiftKey ? event.deltaX || event.deltaY : event.deltaX, [a, b] = place.view;
    if (event.ctrlKey) {
      event.preventDefault();
      const middle = at(event.clientX), share = Math.exp(0.004 * event.deltaY);
      place.zoom(middle - (middle - a) * share, middle + (b - middle) * share);
    } else if (Math.abs(sideways) > Math.abs(event.shiftKey ? 0 : event.deltaY)) {
      event.preventDefault();
      place.pan((sideways / 600) * (b - a));
    }
  }, { passive: false });
}
