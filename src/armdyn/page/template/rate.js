/* The rate of a playback, measured: seconds of the motion per second of the clock, over the last second. */

class Rate {
  constructor() { this.begin(); }
  begin() { this.value = null; this.passed = []; }

  /** At `now`, ms, the motion is at `time`, s. */
  see(now, time) {
    this.passed.push([now, time]);
    while (this.passed.length > 2 && now - this.passed[0][0] > 1000) this.passed.shift();
    const [was, then] = this.passed[0];
    if (now - was > 100) this.value = (time - then) / ((now - was) / 1000);
  }

  toString() { return this.value === null ? "" : `plays at ${this.value.toFixed(2)} × the true rate`; }
}
