const HOST = {
  sin: Math.sin, cos: Math.cos, tan: Math.tan, asin: Math.asin, acos: Math.acos, atan: Math.atan,
  atan2: Math.atan2, exp: Math.exp, log: Math.log, tanh: Math.tanh,
  // IEEE 754: 1 to any power is 1, where Math.pow(1, NaN) is NaN
  pow: (x, y) => (x === 1 ? 1 : Math.pow(x, y)),
};

const BYTES = 8; // of a number
const MOST = 2 ** 32; // a module counts below it

const size = (shape) => shape.reduce((a, b) => a * b, 1);

/** The module's functions by name: they take arrays and give Float64Arrays; see their comments below. */
export async function load() {
  const bytes = Uint8Array.from(atob(MODULE), (letter) => letter.charCodeAt(0));
  const { instance } = await WebAssembly.instantiate(bytes, { armdyn: HOST });
  const functions = { exports: instance.exports };
  for (const about of FUNCTIONS) {
    functions[about.name] = about.carried ? rollout(instance.exports, about) : ofStates(instance.exports, about);
  }
  return functions;
}

/** Memory for arrays behind what the module itself uses, and a view of all of it. */
function room(exports, numbers, about) {
  const begin = exports.heap.value;
  const missing = begin + numbers * BYTES - exports.memory.buffer.byteLength;
  try {
    if (missing > 0) exports.memory.grow(Math.ceil(missing / 65536));
  } catch {
    throw new RangeError(`${about.name}: arrays and results take ${numbers * BYTES} bytes, for which there is no memory; call it with fewer states`);
  }
  return new Float64Array(exports.memory.buffer, begin, numbers);
}

/** Numbers of an array, also of a single number and of rows of rows. */
function flat(array, about, port) {
  if (typeof array === "number") return [array];
  if (ArrayBuffer.isView(array) && typeof array.length === "number") return array;
  const wrong = (what) => new TypeError(`${about.name}: ${port.name} ${what}; expected numbers of shape (${port.shape})`);
  if (typeof array !== "object" || array === null || typeof array.length !== "number") throw wrong(`is ${String(array)}`);
  const rows = Array.from(array);
  if (typeof rows[0] === "object") return rows.flatMap((row) => Array.from(flat(row, about, port)));
  const other = rows.findIndex((x) => typeof x !== "number");
  if (other >= 0) throw wrong(`has a value of type ${typeof rows[other]} in it`);
  return rows;
}

/**
 * A function of states. Every array has the numbers of one state, which all states share, or those of all states one
 * after the other. The result is a Float64Array, or one by the name of each output.
 */
function ofStates(exports, about) {
  const inputs = about.inputs.map((port) => ({ ...port, size: size(port.shape) }));
  const outputs = about.outputs.map((port) => ({ ...port, size: size(port.shape) }));
  return (...given) => {
    if (given.length !== inputs.length) {
      throw new TypeError(`${about.name} takes ${inputs.length} arrays (${inputs.map((p) => p.name)}), not ${given.length}`);
    }
    const arrays = inputs.map((port, k) => flat(given[k], about, port));
    const count = statesOf(about, inputs, arrays);
    const numbers = arrays.reduce((sum, a) => sum + a.length, 0);
    const memory = room(exports, outputs.reduce((sum, port) => sum + port.size * count, numbers), about);
    const addresses = [];
    let place = 0;
    arrays.forEach((array, k) => {
      memory.set(array, place);
      const shared = array.length === inputs[k].size;
      addresses.push(exports.heap.value + place * BYTES, shared ? 0 : inputs[k].size * BYTES);
      place += array.length;
    });
    const places = outputs.map((port) => (place += port.size * count) - port.size * count);
    exports[about.name](count, ...addresses, ...places.map((at) => exports.heap.value + at * BYTES));
    const results = outputs.map((port, k) => memory.slice(places[k], places[k] + port.size * count));
    return outputs.length === 1 ? results[0] : Object.fromEntries(outputs.map((port, k) => [port.name, results[k]]));
  };
}

/** How many states the arrays hold: none if one has none, else that of the longest; every other holds as many, or one. */
function statesOf(about, inputs, arrays) {
  const counts = arrays.map((array, k) => (inputs[k].size ? array.length / inputs[k].size : 1));
  const count = counts.includes(0) ? 0 : Math.max(1, ...counts);
  counts.forEach((mine, k) => {
    if (mine !== 1 && (mine !== count || !Number.isInteger(mine))) {
      const { name, size: one } = inputs[k];
      throw new RangeError(`${about.name}: ${name} has ${arrays[k].length} numbers; expected ${one}, or ${one} a state`);
    }
  });
  return count;
}

/**
 * A rollout: (steps, arrays by name, every). Arrays that change with time have a row for each step; the state is that
 * of the beginning. The result has the state after the last step, and the records of every `every`-th step.
 */
function rollout(exports, about) {
  const inputs = about.inputs.map((port) => ({ ...port, size: size(port.shape) }));
  const records = about.outputs.map((port) => ({ ...port, size: size(port.shape) }));
  return (steps, given, every = 1) => {
    if (!(Number.isInteger(steps) && steps >= 0 && steps < MOST)) throw new RangeError(`${about.name}: steps is ${steps}; expected a whole number below 2^32`);
    if (!(Number.isInteger(every) && every > 0 && every < MOST)) throw new RangeError(`${about.name}: every is ${every}; expected 1, 2, ... below 2^32`);
    if (typeof given !== "object" || given === null) throw new TypeError(`${about.name}: expected arrays by name: {${inputs.map((p) => p.name)}}`);
    const rows = Math.ceil(steps / every);
    const arrays = inputs.map((port) => {
      const array = flat(given[port.name], about, port);
      const expected = port.size * (about.stepwise.includes(port.name) ? steps : 1);
      if (array.length === expected) return array;
      throw new RangeError(`${about.name}: ${port.name} has ${array.length} numbers; expected ${expected}`);
    });
    const numbers = arrays.reduce((sum, a) => sum + a.length, 0);
    const memory = room(exports, records.reduce((sum, port) => sum + port.size * rows, numbers), about);
    let place = 0;
    const at = (length) => (place += length) - length;
    const places = arrays.map((array) => at(array.length));
    arrays.forEach((array, k) => memory.set(array, places[k]));
    const rowsAt = records.map((port) => at(port.size * rows));
    const addresses = [...places, ...rowsAt].map((p) => exports.heap.value + p * BYTES);
    exports[about.name](steps, every, ...addresses);
    const state = {};
    inputs.forEach((port, k) => {
      if (about.carried.includes(port.name)) state[port.name] = memory.slice(places[k], places[k] + port.size);
    });
    const found = records.map((port, k) => [port.name, memory.slice(rowsAt[k], rowsAt[k] + port.size * rows)]);
    return { state, records: Object.fromEntries(found) };
  };
}
