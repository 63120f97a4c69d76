#!/bin/sh
# Tried: a curve whose samples are missing from 3 s to 4 s, with uPlot's default spanGaps: false; the missing samples as
#   null in an Array, and as NaN in a Float64Array, which has no null.
# With: uplot 1.6.32, jsdom 26.1.0 (Node 20, Linux x86-64), 2026-11-29.
# A good guess: both are gaps. Typed arrays are accepted as data, NaN is the only missing value that they have, and the
#   range of the axis leaves it out.
# Seen: null makes one gap of a second. NaN makes none: the path goes to points with y = NaN, which a canvas skips, so that
#   a straight line joins the samples before and after the hole. (In Chromium 156 the line is there to see.)
# Why it matters: a log with a gap, read as numbers into typed arrays, is drawn as if it had been recorded there. Columns
#   have to be copied into arrays with null first.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund uplot@1.6.32 jsdom@26.1.0
cat > run.cjs <<'EOF'
const { JSDOM } = require("jsdom");
const { window } = new JSDOM("<!doctype html><body></body>", { pretendToBeVisual: true });
const nothing = new Proxy(function () {}, { get: (_, name) => (name === "measureText" ? () => ({ width: 10 }) : nothing), set: () => true, apply: () => nothing });
window.HTMLCanvasElement.prototype.getContext = () => nothing;
window.matchMedia = () => ({ addEventListener() {}, removeEventListener() {} });
class Path2D { constructor() { this.points = []; } moveTo(x, y) { this.points.push([x, y]); } lineTo(x, y) { this.points.push([x, y]); } rect() {} addPath() {} }
Object.defineProperty(globalThis, "navigator", { value: window.navigator, configurable: true });
Object.assign(globalThis, { window, document: window.document, devicePixelRatio: 1, Path2D, HTMLElement: window.HTMLElement, CustomEvent: window.CustomEvent, Event: window.Event, MouseEvent: window.MouseEvent, matchMedia: window.matchMedia, requestAnimationFrame: (f) => setTimeout(f, 0), addEventListener() {}, removeEventListener() {} });
const uPlot = require("uplot");
const t = Array.from({ length: 101 }, (_, k) => k / 10), missing = (x) => x > 3 && x < 4;
const tables = { null: t.map((x) => (missing(x) ? null : Math.sin(x))), NaN: Float64Array.from(t, (x) => (missing(x) ? NaN : Math.sin(x))) };
const gaps = {};
for (const [name, y] of Object.entries(tables)) {
  const chart = new uPlot({ width: 400, height: 200, scales: { x: { time: false } }, series: [{}, { stroke: "red" }] }, [t, y], document.body);
  gaps[name] = null;
  setTimeout(() => {
    gaps[name] = chart.series[1]._paths.gaps.length;
    console.log(`${name}: gaps ${gaps[name]}, points with y = NaN in the path ${chart.series[1]._paths.stroke.points.filter(([, v]) => Number.isNaN(v)).length}, axis from ${chart.scales.y.min.toFixed(1)} to ${chart.scales.y.max.toFixed(1)}`);
    if (name === "NaN") process.exit(gaps.null === 1 && gaps.NaN === 0 ? 0 : 1);
  }, 100);
}
EOF
node run.cjs
