/* The page of a motion: charts, player and arm, put together. */

for (const name of ["other", "band", "event", ...Array.from({ length: 8 }, (_, k) => `c${k}`)]) COLOUR_NAMES.push(name);

/** What all charts share: the view, the time, the events. */
class Board {
  constructor(columns, player, charts) {
    this.columns = columns; this.player = player; this.charts = charts;
    this.view = [columns.start, columns.end];
    this.events = MOTION.events;
    this.wanted = new Set(); // charts that are drawn by the overview of their columns
  }

  time() { return this.player.time; }
  hover(time) { this.player.pause(); this.player.go(time); }
  reset() { this.show([this.columns.start, this.columns.end]); }
  pan(by) { const [a, b] = this.view; this.zoom(a + by, b + by); }

  /** Show from one time to another, as far as there is motion. */
  zoom(from, to) {
    const { start, end } = this.columns, wide = Math.max(Math.min(to - from, end - start), 1e-6 * (end - start));
    const a = Math.max(start, Math.min(from, end - wide));
    this.show([a, a + wide]);
  }

  about(time, share) { const [a, b] = this.view; this.zoom(time - (time - a) * share, time + (b - time) * share); }
  show(view) { this.view = view; this.stale = true; this.player.changed(); }
  refresh() { for (const chart of this.charts) chart.refresh(); }

  /** Read the columns of the charts in sight, one chart after the other with a pause for pictures between. */
  async refine() {
    if (this.refining) return;
    this.refining = true;
    for (let chart; ([chart] = this.wanted), chart; ) {
      this.wanted.delete(chart);
      if (chart.visible) await chart.load();
      await new Promise((resolve) => setTimeout(resolve));
    }
    this.refining = false;
  }
}

async function begin() {
  colours.read();
  const functions = ARM === null ? null : await load();
  const columns = new Columns(MOTION), charts = [];
  let asked = false, stage = null, seen = null;
  const draw = () => { if (!asked) { asked = true; requestAnimationFrame(picture); } };
  const player = new Player(byId("player"), columns, draw);
  const board = new Board(columns, player, charts);
  if (functions) stage = new Stage(ARM, functions, columns, MOTION.ghost, draw);
  else { byId("stage-view").style.display = "none"; byId("live").classList.add("alone"); }

  const watch = new IntersectionObserver((all) => { for (const one of all) one.target.chart.see(one.isIntersecting); draw(); }, { rootMargin: "120px" });
  const resized = new ResizeObserver(() => { board.stale = true; draw(); });
  const add = (about, place, colour) => {
    const chart = new MotionChart(about, board, colour);
    charts.push(chart); place.append(chart.whole); watch.observe(chart.whole); resized.observe(chart.target);
    return chart;
  };
  const chosen = new Set(MOTION.first);
  const arrange = () => {
    byId("rows").style.setProperty("--columns", Math.max(1, Math.min(chosen.size, 4)));
    for (const cell of document.querySelectorAll("#rows .cell")) cell.style.display = chosen.has(cell.chart.about.quantity) ? "" : "none";
    draw();
  };
  for (const [name, words] of Object.entries(MOTION.quantities)) {
    const button = element("button", { type: "button", class: "chip", "aria-pressed": String(chosen.has(name)) }, words);
    button.addEventListener("click", () => { if (chosen.has(name)) chosen.delete(name); else chosen.add(name); button.setAttribute("aria-pressed", String(chosen.has(name))); arrange(); });
    byId("quantities").append(button);
  }
  byId("quantities").append(legend());
  MOTION.joints.forEach((joint, k) => {
    const cells = element("div", { class: "cells" });
    byId("rows").append(element("div", { class: "joint-row" }, element("h3", {}, element("span", { style: { color: `var(--c${k % 8})` } }, "● "), joint.name), cells));
    for (const about of joint.charts) add(about, cells, () => colours[`c${k % 8}`]);
  });
  const cells = element("div", { class: "cells" });
  byId("whole").append(element("div", { class: "joint-row" }, cells));
  for (const about of MOTION.whole) add(about, cells, () => colours.ink);
  for (const { t, name, kind } of MOTION.events.slice(0, 200)) {
    byId("events").append(element("button", { type: "button", class: "chip", title: `${kind} of ${name}`, onclick: () => board.hover(t) }, `${MARKS[kind] ?? "|"} ${kind} ${name} ${figure(t, 4)} s`));
  }
  arrange();

  const again = () => { colours.read(); board.stale = true; if (stage) stage.changed = true; draw(); };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
  if (stage) new ResizeObserver(() => { stage.fit(); draw(); }).observe(stage.drawing.canvas);
  addEventListener("keydown", (event) => {
    if (event.target.closest?.("input, select, button, canvas") && event.key !== " ") return;
    if (event.target.closest?.("select, button, input:not([type=range])") || event.ctrlKey || event.metaKey) return;
    const [a, b] = board.view, step = (b - a) / (event.shiftKey ? 1000 : 100);
    const keys = {
      " ": () => player.toggle(), ArrowLeft: () => (event.altKey ? board.pan(-0.2 * (b - a)) : board.hover(player.time - step)),
      ArrowRight: () => (event.altKey ? board.pan(0.2 * (b - a)) : board.hover(player.time + step)),
      Home: () => board.hover(columns.start), End: () => board.hover(columns.end),
      "+": () => board.about(player.time, 0.6), "=": () => board.about(player.time, 0.6), "-": () => board.about(player.time, 1 / 0.6), 0: () => board.reset(),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });

  function picture() {
    asked = false;
    player.advance();
    if (board.stale) { board.stale = false; board.refresh(); seen = null; }
    if (seen !== player.time) { for (const chart of charts) chart.mark(player.time); seen = player.time; }
    player.show();
    stage?.show(player.time);
    if (stage && player.running) {
      const now = performance.now();
      if (stage.last && stage.slow.sees(now - stage.last)) stage.fit();
      stage.last = now;
    } else if (stage) stage.last = null;
    window.armdyn.frames += 1;
    if (board.wanted.size) setTimeout(() => board.refine());
    if (player.running) draw();
  }
  window.armdyn = { frames: 0, motion: MOTION, columns, charts, board, player, stage, drawing: stage?.drawing.constructor.name ?? null };
  stage?.fit();
  draw();
  if (!functions) return;
  await new Promise((resolve) => setTimeout(resolve, 50)); // after the first picture
  await columns.load(Object.keys(columns.columns).filter((name) => /^q:\d+(:other)?$/.test(name)));
  stage.changed = true;
  draw();
}

/** What the lines mean. */
function legend() {
  const line = (style, text) => element("span", { class: "legend-line" }, element("i", { style }), text);
  const all = MOTION.joints.flatMap((joint) => joint.charts), has = (role) => all.some((chart) => chart.series.some((one) => one.role === role));
  const parts = [];
  if (has("reference")) parts.push(line({ borderTop: "1px dashed var(--ink)" }, "reference"));
  if (has("other")) parts.push(line({ borderTop: "4px solid var(--other)", opacity: 0.6 }, MOTION.names[1]));
  if (all.some((chart) => typeof chart.low === "number" || typeof chart.high === "number")) parts.push(line({ borderTop: "1px dashed var(--band)" }, "limit"));
  return element("div", { class: "spring" }, ...parts);
}

begin().catch((error) => {
  byId("live").style.display = "none";
  byId("failure").hidden = false;
  byId("failure").textContent = `The page cannot run here: ${error.message}.`;
  console.error(error);
});
