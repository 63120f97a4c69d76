/* Drawing by WebGL 2: lit solids, translucent solids behind them in order, lines that fade. */

const SOLID = {
  vertex: `#version 300 es
    uniform mat4 model, camera; uniform mat3 normals; in vec3 position, normal; out vec3 place, across;
    void main() { vec4 at = model * vec4(position, 1.0); place = at.xyz; across = normals * normal; gl_Position = camera * at; }`,
  fragment: `#version 300 es
    precision highp float; uniform vec3 eye, up; uniform vec4 colour; uniform float glass; in vec3 place, across; out vec4 seen;
    void main() {
      vec3 to = normalize(eye - place), n = normalize(across); if (dot(n, to) < 0.0) n = -n;
      vec3 side = normalize(cross(up, to)), light = normalize(to + 0.55 * side + 0.75 * up);
      float lit = max(dot(n, light), 0.0), sky = 0.5 + 0.5 * dot(n, up), shine = pow(max(dot(n, normalize(light + to)), 0.0), 36.0);
      float rim = pow(1.0 - max(dot(n, to), 0.0), 2.0);
      vec3 shade = colour.rgb * (0.34 + 0.22 * sky + 0.56 * lit) + 0.13 * shine;
      seen = glass > 0.5 ? vec4(colour.rgb * (0.75 + 0.25 * lit), colour.a * (0.45 + 1.4 * rim)) : vec4(shade, 1.0);
      seen.rgb *= seen.a;
    }`,
};
const LINES = {
  vertex: `#version 300 es
    uniform mat4 camera; in vec3 position; out vec3 place; void main() { place = position; gl_Position = camera * vec4(position, 1.0); }`,
  fragment: `#version 300 es
    precision highp float; uniform vec4 colour; uniform float fade; in vec3 place; out vec4 seen;
    void main() { float a = colour.a * (fade > 0.0 ? 1.0 - smoothstep(0.35 * fade, fade, length(place)) : 1.0); seen = vec4(colour.rgb * a, a); }`,
};

class WebGlDrawing {
  constructor(canvas) {
    this.canvas = canvas;
    this.gl = canvas.getContext("webgl2", { antialias: true, alpha: true });
    if (!this.gl) throw new Error("no WebGL 2");
    this.prepare();
  }

  /** Programs and buffers; again after the graphics processor has lost them. */
  prepare() {
    this.solids = this.program(SOLID, ["model", "camera", "normals", "eye", "up", "colour", "glass"]);
    this.strokes = this.program(LINES, ["camera", "colour", "fade"]);
    this.uploaded = new WeakMap();
    this.scratch = this.gl.createBuffer();
    this.tube = tubeMesh(); this.ball = ballMesh(); this.box = boxMesh();
  }

  program(source, uniforms) {
    const gl = this.gl, program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, source.vertex], [gl.FRAGMENT_SHADER, source.fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.bindAttribLocation(program, 0, "position");
    gl.bindAttribLocation(program, 1, "normal");
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) throw new Error(gl.getProgramInfoLog(program) || "a shader does not compile");
    return { program, ...Object.fromEntries(uniforms.map((name) => [name, gl.getUniformLocation(program, name)])) };
  }

  /** The vertex array of a mesh, uploaded when it is first drawn. */
  arrays(mesh) {
    const gl = this.gl;
    if (this.uploaded.has(mesh)) return this.uploaded.get(mesh);
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    [mesh.positions, mesh.normals].forEach((values, k) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
      gl.enableVertexAttribArray(k);
      gl.vertexAttribPointer(k, 3, gl.FLOAT, false, 0, 0);
    });
    this.uploaded.set(mesh, array);
    return array;
  }

  begin(camera) {
    const gl = this.gl;
    this.camera = camera;
    this.glass = [];
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  solid(mesh, model, colour, glass = false) {
    if (glass && !this.finishing) { this.glass.push([mesh, model, colour]); return; }
    const gl = this.gl, p = this.solids;
    gl.useProgram(p.program);
    gl.uniformMatrix4fv(p.model, false, model);
    gl.uniformMatrix3fv(p.normals, false, normalMatrix(model));
    gl.uniformMatrix4fv(p.camera, false, this.camera.matrix);
    gl.uniform3fv(p.eye, this.camera.eye);
    gl.uniform3fv(p.up, this.camera.up);
    gl.uniform4f(p.colour, colour[0], colour[1], colour[2], colour[3] ?? 1);
    gl.uniform1f(p.glass, glass ? 1 : 0);
    gl.bindVertexArray(this.arrays(mesh));
    gl.drawArrays(gl.TRIANGLES, 0, mesh.positions.length / 3);
  }

  rod(a, b, radius, colour, glass = false) { if (norm(minus(b, a)) > 1e-9) this.solid(this.tube, tubeMatrix(a, b, radius), colour, glass); }
  knob(at, radius, colour) { this.solid(this.ball, frameOf([radius, 0, 0], [0, radius, 0], [0, 0, radius], at), colour); }
  block(matrix, colour) { this.solid(this.box, matrix, colour); }
  ellipsoid(x, y, z, at, colour) { this.solid(this.ball, frameOf(x, y, z, at), [...colour, 0.42], true); }

  /** Pairs of points, or with `strip` a line through all of them. */
  lines(points, colour, { strip = false, fade = 0 } = {}) {
    const gl = this.gl, p = this.strokes;
    gl.useProgram(p.program);
    gl.bindVertexArray(null);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.scratch);
    gl.bufferData(gl.ARRAY_BUFFER, points instanceof Float32Array ? points : Float32Array.from(points), gl.STREAM_DRAW);
    gl.enableVertexAttribArray(0);
    gl.disableVertexAttribArray(1);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    gl.uniformMatrix4fv(p.camera, false, this.camera.matrix);
    gl.uniform4f(p.colour, colour[0], colour[1], colour[2], colour[3] ?? 1);
    gl.uniform1f(p.fade, fade);
    gl.drawArrays(strip ? gl.LINE_STRIP : gl.LINES, 0, points.length / 3);
  }

  finish() {
    this.finishing = true;
    this.gl.depthMask(false);
    for (const [mesh, model, colour] of this.glass) this.solid(mesh, model, colour, true);
    this.gl.depthMask(true);
    this.finishing = false;
  }
}
