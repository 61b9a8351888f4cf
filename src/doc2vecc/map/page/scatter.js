"use strict";
// Points of a plane that can be moved, enlarged and pointed at; used by the page of a map and by the page of the service.
// three.js draws them, moves them and finds what the pointer is over. Without a graphics card, this file draws them on a plain canvas.

const NEAREST = 12;  // pixels between the pointer and its point, at most
const WHILE_MOVING = 25000, PAUSE = 120;  // points on a plain canvas, until the map has stood still for so many milliseconds
const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;  // names of WebGL without a graphics card
const ROUND = 5;  // pixels, from where on a point of a plain canvas is round and not a square
const DISC = 32;  // pixels of the picture of a point

class Scatter {
  // `on` has functions: hover(i) and pick(i) with a point or -1, moved() after each move, drawn() after each drawing.
  // `free()` gives what the map may fill, in pixels of the canvas: { left, top, right, bottom }.
  constructor(canvas, on, free, { least = 0.5, most = 400 } = {}) {
    Object.assign(this, { canvas, on, free, least, most, moving: 0, isAsked: false, groups: [], front: [], count: 0, reach: [1, 1] });
    this.camera = new three.OrthographicCamera(-1, 1, 1, -1, -10, 10);
    this.camera.position.z = 1;
    this.scene = new three.Scene();
    this.begin();
    this.controls = new three.MapControls(this.camera, canvas);
    Object.assign(this.controls, { enableRotate: false, enableDamping: false, zoomToCursor: true, screenSpacePanning: true, zoomSpeed: 1.6 });
    this.controls.touches = { ONE: three.TOUCH.PAN, TWO: three.TOUCH.DOLLY_PAN };
    this.controls.mouseButtons = { LEFT: three.MOUSE.PAN, MIDDLE: three.MOUSE.PAN, RIGHT: three.MOUSE.PAN };
    this.controls.addEventListener("change", () => this.moved());
    this.listen();
    new ResizeObserver(() => this.resize()).observe(canvas);
  }

  // WebGL if a graphics card computes it, else a plain canvas, which is faster. #webgl and #canvas after the address decide.
  begin() {
    const name = Scatter.webgl(), { canvas } = this, wish = location.hash;
    this.kind = name !== null && wish !== "#canvas" && (wish === "#webgl" || !SOFTWARE.test(name)) ? "webgl" : "canvas";
    if (this.kind === "canvas") {
      this.paper = canvas.getContext("2d", { willReadFrequently: true });  // on the processor: fast for many small squares
      return;
    }
    this.renderer = new three.WebGLRenderer({ canvas, alpha: true, depth: false, stencil: false });
    this.renderer.outputColorSpace = three.LinearSRGBColorSpace;  // colors are those of the page, as they are
    canvas.addEventListener("webglcontextrestored", () => this.draw());
  }
  static webgl() {  // -> the name of what computes WebGL, null if there is none
    const gl = document.createElement("canvas").getContext("webgl2"), names = gl?.getExtension("WEBGL_debug_renderer_info");
    return gl ? String(gl.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : gl.RENDERER)) : null;
  }

  setPoints(xs, ys) {
    const n = this.count = xs.length;
    this.xs = xs; this.ys = ys;
    const places = new Float32Array(3 * n);
    this.reach = [0.01, 0.01];
    for (let i = 0; i < n; i++) {
      places[3 * i] = xs[i]; places[3 * i + 1] = ys[i];
      this.reach = [Math.max(this.reach[0], Math.abs(xs[i])), Math.max(this.reach[1], Math.abs(ys[i]))];
    }
    this.places = new three.BufferAttribute(places, 3);
    this.colors = new three.BufferAttribute(new Uint8Array(3 * n), 3, true);
    this.order = Scatter.shuffled(n);
    this.resize();
    this.showAll();
  }

  static shuffled(count) {  // so that no category covers the others
    const found = Uint32Array.from({ length: count }, (_, i) => i);
    let state = 1;
    for (let i = count - 1; i > 0; i--) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      const j = Math.floor(state / 4294967296 * (i + 1));
      [found[i], found[j]] = [found[j], found[i]];
    }
    return found;
  }

  // Color every point by `color(i)` -> [r, g, b], and draw the groups in their order: `group(i)` is a point's number in
  // `groups` of { size, opacity, isPicked }; sizes are in pixels.
  paint(groups, group, color) {
    for (const old of this.groups) { this.scene.remove(old.points); old.points.geometry.dispose(); old.points.material.dispose(); }
    const rows = groups.map(() => []);
    for (const i of this.order) { rows[group(i)].push(i); this.colors.array.set(color(i), 3 * i); }
    this.colors.needsUpdate = true;
    this.groups = groups.map((one, number) => ({ ...one, rows: rows[number], points: this.pointsOf(one, rows[number], number) }));
    this.draw();
  }
  pointsOf({ opacity }, rows, number) {
    const geometry = new three.BufferGeometry();
    geometry.setAttribute("position", this.places).setAttribute("color", this.colors);
    geometry.setIndex(new three.BufferAttribute(Uint32Array.from(rows), 1));
    const points = new three.Points(geometry, new three.PointsMaterial({
      map: Scatter.disc(), vertexColors: true, transparent: true, opacity, sizeAttenuation: false, depthTest: false, depthWrite: false,
    }));
    points.renderOrder = number; points.frustumCulled = false;
    this.scene.add(points);
    return points;
  }
  static disc() {
    if (!Scatter.picture) {
      const pixels = new Uint8Array(4 * DISC * DISC).fill(255), middle = (DISC - 1) / 2;
      for (let at = 0; at < DISC * DISC; at++) {
        const away = Math.hypot(at % DISC - middle, Math.floor(at / DISC) - middle);
        pixels[4 * at + 3] = 255 * Math.max(0, Math.min(1, middle + 0.5 - away));
      }
      Scatter.picture = new three.DataTexture(pixels, DISC, DISC);
      Object.assign(Scatter.picture, { minFilter: three.LinearMipmapLinearFilter, magFilter: three.LinearFilter, generateMipmaps: true, needsUpdate: true });
    }
    return Scatter.picture;
  }

  // ---- places: 1 of the plane is `unit` pixels
  get unit() { return this.camera.zoom; }
  get zoom() { return this.camera.zoom / this.fit; }
  place(i) { return this.pixel(this.xs[i], this.ys[i]); }
  pixel(x, y) {
    const { position, zoom } = this.camera;
    return [this.width / 2 + (x - position.x) * zoom, this.height / 2 - (y - position.y) * zoom];
  }
  resize() {
    const before = this.fit, { canvas, camera } = this;
    this.density = Math.min(devicePixelRatio || 1, 2);
    this.width = Math.max(1, canvas.clientWidth); this.height = Math.max(1, canvas.clientHeight);
    if (this.renderer) { this.renderer.setPixelRatio(this.density); this.renderer.setSize(this.width, this.height, false); }
    else { canvas.width = this.width * this.density; canvas.height = this.height * this.density; }
    const { left, top, right, bottom } = this.free();
    this.fit = Math.max(40, Math.min((right - left) / 2 / this.reach[0], (bottom - top) / 2 / this.reach[1]) * 0.95);
    this.middle = [(left + right) / 2, (top + bottom) / 2];
    Object.assign(camera, { left: -this.width / 2, right: this.width / 2, top: this.height / 2, bottom: -this.height / 2 });
    Object.assign(this.controls, { minZoom: this.fit * this.least, maxZoom: this.fit * this.most });
    camera.zoom *= before ? this.fit / before : this.fit;
    camera.updateProjectionMatrix();
    this.draw();
  }
  // Bring a place of the plane to the middle of what is free.
  show(x, y, zoom = this.zoom) {
    const { camera, controls } = this;
    camera.zoom = Math.max(controls.minZoom, Math.min(controls.maxZoom, zoom * this.fit));
    camera.position.x = x - (this.middle[0] - this.width / 2) / camera.zoom;
    camera.position.y = y + (this.middle[1] - this.height / 2) / camera.zoom;
    controls.target.set(camera.position.x, camera.position.y, 0);
    camera.updateProjectionMatrix();
    this.moved();
  }
  showAll() { this.show(0, 0, 1); }
  get center() {
    const { position, zoom } = this.camera;
    return [position.x + (this.middle[0] - this.width / 2) / zoom, position.y - (this.middle[1] - this.height / 2) / zoom];
  }
  enlarge(factor) { this.show(...this.center, this.zoom * factor); }
  shift(right, down) { this.show(this.center[0] + right / this.unit, this.center[1] - down / this.unit); }
  moved() {
    clearTimeout(this.moving);
    this.moving = setTimeout(() => { this.moving = 0; this.draw(); }, PAUSE);
    this.on.moved();
    this.draw();
  }

  // ---- drawing
  draw() {
    if (this.isAsked || !this.count) return;
    this.isAsked = true;
    requestAnimationFrame(() => { this.isAsked = false; this.drawNow(); });
  }
  drawNow() {
    const growth = Math.pow(Math.max(this.zoom, 0.5), 0.4), share = this.moving && !this.renderer ? Math.min(1, WHILE_MOVING / this.count) : 1;
    for (const group of this.groups) {
      const { material, geometry } = group.points, isLit = group.isPicked && this.groups.some((one) => !one.isPicked);
      material.size = 2 * Math.min(7, group.size * growth);
      geometry.setDrawRange(0, Math.ceil(group.rows.length * (isLit ? 1 : share)));
    }
    if (this.renderer) this.renderer.render(this.scene, this.camera);
    else this.drawPlain();
    this.on.drawn();
  }
  drawPlain() {
    const { paper, colors: { array }, camera: { position, zoom }, xs, ys, width, height, density } = this;
    paper.setTransform(density, 0, 0, density, 0, 0);
    paper.clearRect(0, 0, width, height);
    for (const { rows, opacity, points: { material, geometry } } of this.groups) {
      const size = material.size * 0.9, half = size / 2;
      paper.globalAlpha = opacity;
      let before = -1;
      for (let at = 0; at < geometry.drawRange.count; at++) {
        const i = rows[at], x = width / 2 + (xs[i] - position.x) * zoom, y = height / 2 - (ys[i] - position.y) * zoom;
        if (x < -half || y < -half || x > width + half || y > height + half) continue;
        const color = array[3 * i] << 16 | array[3 * i + 1] << 8 | array[3 * i + 2];
        if (color !== before) { before = color; paper.fillStyle = `#${(color + (1 << 24)).toString(16).slice(1)}`; }
        if (size < ROUND) paper.fillRect(x - half, y - half, size, size);
        else { paper.beginPath(); paper.arc(x, y, half, 0, 7); paper.fill(); }
      }
    }
    paper.globalAlpha = 1;
  }

  // ---- pointing: what is in front, else the picked point of a group that is nearest
  nearest(px, py, reach = NEAREST) {
    if (!this.count) return -1;
    const away = (i) => Math.hypot(this.place(i)[0] - px, this.place(i)[1] - py);
    const front = this.front.filter((i) => away(i) < Math.min(reach, NEAREST)).sort((a, b) => away(a) - away(b));
    if (front.length) return front[0];
    const ray = this.ray ??= new three.Raycaster();
    ray.params.Points.threshold = reach / this.unit;
    this.camera.updateMatrixWorld();
    ray.setFromCamera(new three.Vector2(px / this.width * 2 - 1, 1 - py / this.height * 2), this.camera);
    const found = ray.intersectObjects(this.groups.filter((one) => one.isPicked).map((one) => one.points));
    return found.reduce((best, one) => (one.distanceToRay < best.distanceToRay ? one : best), { distanceToRay: Infinity, index: -1 }).index;
  }
  listen() {
    const { canvas, on } = this;
    let down = null;
    const at = (event) => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
    canvas.addEventListener("pointerdown", (event) => {
      down = down ? { isMoved: true } : { from: at(event) };
      canvas.classList.add("dragging");
    });
    canvas.addEventListener("pointermove", (event) => {
      const [x, y] = at(event);
      if (!down) on.hover(this.nearest(x, y), event);
      else if (down.from && Math.abs(x - down.from[0]) + Math.abs(y - down.from[1]) > 4) { down.isMoved = true; on.hover(-1); }
    });
    const up = (event) => {
      if (down && !down.isMoved && event.type === "pointerup") on.pick(this.nearest(...at(event)));
      down = null;
      canvas.classList.remove("dragging");
    };
    canvas.addEventListener("pointerup", up);
    canvas.addEventListener("pointercancel", up);
    canvas.addEventListener("pointerleave", () => on.hover(-1));
  }
  // Arrows, plus, minus and 0 -> whether it was one of them.
  key(name) {
    const moves = { ArrowLeft: [-60, 0], ArrowRight: [60, 0], ArrowUp: [0, -60], ArrowDown: [0, 60] };
    if (name in moves) this.shift(...moves[name]);
    else if (name === "+" || name === "=") this.enlarge(1.3);
    else if (name === "-") this.enlarge(1 / 1.3);
    else if (name === "0") this.showAll();
    else return false;
    return true;
  }
}

// Write names of areas on a canvas, in their order; one that would cover another is left out -> the lines that were written.
// An area is { lines, x, y, size, weight } in pixels.
function writeNames(paper, areas, { width, height, top = 0, ink, edge }) {
  const taken = [], written = [];
  Object.assign(paper, { textAlign: "center", textBaseline: "middle", lineJoin: "round", lineWidth: 3.5, strokeStyle: edge, fillStyle: ink });
  for (const { lines, x, y, size, weight } of areas) {
    const name = lines.join(" ");  // a part of an area may have the same name: once is enough
    if (written.includes(name) || x < 0 || x > width || y < top || y > height) continue;
    paper.font = `${weight} ${size}px system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif`;
    const across = Math.max(...lines.map((line) => paper.measureText(line).width)) + 10, tall = lines.length * size * 1.2 + 4;
    const middle = Math.max(across / 2, Math.min(x, width - across / 2));  // a name at the edge moves inside
    const box = [middle - across / 2, y - tall / 2, middle + across / 2, y + tall / 2];
    if (taken.some((other) => box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1])) continue;
    taken.push(box); written.push(name);
    lines.forEach((line, i) => {
      const down = y + (i - (lines.length - 1) / 2) * size * 1.2;
      paper.strokeText(line, middle, down); paper.fillText(line, middle, down);
    });
  }
  return written;
}
