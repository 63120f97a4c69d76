/* The drawing of a canvas, and its pixels where pictures take long. */

/** Three dimensions by WebGL where there is such, else on a plain canvas. */
function drawingOn(canvas) {
  try {
    return new WebGlDrawing(canvas);
  } catch (error) {
    const fresh = canvas.cloneNode(); // a canvas keeps to the first kind of drawing it was asked for
    canvas.replaceWith(fresh);
    byId("hint").textContent = "This browser has no WebGL 2: lines in place of solids.";
    return new FlatDrawing(fresh);
  }
}

/** Where pictures take long, as they do without a graphics processor, they get fewer pixels. */
class Slowness {
  constructor() { this.share = 1; this.times = []; }

  /** Whether the share of pixels has changed, after a picture that took so many ms. */
  sees(taken) {
    this.times.push(taken);
    if (this.times.length < 8) return false;
    const middle = this.times.sort((a, b) => a - b)[4];
    this.times = [];
    if (middle < 60 || this.share <= 0.5) return false;
    this.share = Math.max(0.5, 0.75 * this.share);
    return true;
  }
}
