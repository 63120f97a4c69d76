/* A chart of lines over time, on a canvas. */

class Chart {
  constructor(canvas, symmetric = false) {
    this.canvas = canvas; this.symmetric = symmetric;
  }

  /** Series are {colour, values}, all over the same times. */
  draw(t, series) {
    const { canvas } = this, ratio = window.devicePixelRatio || 1, wide = canvas.clientWidth, high = canvas.clientHeight;
    if (!wide || !high) return;
    if (canvas.width !== Math.round(wide * ratio)) canvas.width = Math.round(wide * ratio);
    if (canvas.height !== Math.round(high * ratio)) canvas.height = Math.round(high * ratio);
    const c = canvas.getContext("2d");
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, wide, high);
    if (t.length < 2) { this.blank(c, wide, high); return; }
    let [low, top_] = [Infinity, -Infinity];
    for (const { values } of series) for (const v of values) if (Number.isFinite(v)) { low = Math.min(low, v); top_ = Math.max(top_, v); }
    if (!(low <= top_)) [low, top_] = [0, 1];
    if (this.symmetric) { const most = 1.2 * Math.max(Math.abs(low), Math.abs(top_), 1e-15); [low, top_] = [-most, most]; }
    if (top_ - low < 1e-9 * Math.max(1, Math.abs(top_)) && !this.symmetric) [low, top_] = [low - 1, top_ + 1];
    if (!this.symmetric) [low, top_] = [low - 0.05 * (top_ - low), top_ + 0.07 * (top_ - low)];
    c.font = "11px system-ui, sans-serif";
    const shown = ticks(low, top_, 4), widest = Math.max(...shown.map((value) => c.measureText(figure(value, 3)).width));
    const [left, right, top, bottom] = [Math.max(46, 10 + Math.ceil(widest)), wide - 8, 8, high - 18];
    const from = t.length ? t[0] : 0, to = Math.max(t.length ? t[t.length - 1] : 0, from + 1);
    const x = (time) => left + ((right - left) * (time - from)) / (to - from), y = (v) => bottom - ((bottom - top) * (v - low)) / (top_ - low);
    c.lineWidth = 1;
    for (const value of shown) {
      c.strokeStyle = colours.line; c.fillStyle = colours.faint; c.textAlign = "right"; c.textBaseline = "middle";
      c.beginPath(); c.moveTo(left, Math.round(y(value)) + 0.5); c.lineTo(right, Math.round(y(value)) + 0.5); c.stroke();
      c.fillText(figure(value, 3), left - 6, y(value));
    }
    c.textBaseline = "top"; c.textAlign = "center";
    for (const time of ticks(from, to, 5)) {
      const text = `${figure(time, 3)} s`, half = c.measureText(text).width / 2;
      c.fillText(text, Math.min(x(time), right - half), bottom + 4);
    }
    for (const { colour, values } of series) {
      c.strokeStyle = colour; c.lineWidth = 1.6; c.beginPath();
      values.forEach((v, k) => (k ? c.lineTo(x(t[k]), y(v)) : c.moveTo(x(t[k]), y(v))));
      c.stroke();
    }
  }

  /** What stands there before anything has moved. */
  blank(c, wide, high) {
    c.fillStyle = colours.faint;
    c.font = "12px system-ui, sans-serif";
    c.textAlign = "center"; c.textBaseline = "middle";
    c.fillText("over time, when it falls", wide / 2, high / 2);
  }
}

/** Round numbers between two bounds, about so many. */
function ticks(low, high, count) {
  const rough = (high - low) / count, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((k) => k * power).find((s) => s >= rough);
  const found = [];
  for (let k = Math.ceil(low / step); k * step <= high; k++) found.push(k * step);
  return found;
}
