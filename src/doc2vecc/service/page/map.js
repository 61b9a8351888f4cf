// The map: every document a point, drawn into pixels so that 100,000 of them move without lag.

const NEAR = 12; // pixels between a pointer and its point, at most
const FARTHEST = 200; // times enlarged
const FINE = 2.2; // times enlarged, from where on the fine areas have names
const MANY = 20000; // points that are drawn small
const NONE = 255;

export class CorpusMap {
  // `on` has functions: pick(row) for a click, point(row, x, y) for what the pointer is over, -1 for nothing.
  constructor(canvas, on) {
    this.canvas = canvas;
    this.on = on;
    this.points = new Float32Array(0); // x, y of each document, from -1 to 1
    this.areaOf = new Uint8Array(0);
    this.areas = [];
    this.lit = null; // how similar each document is to the query, from 0 to 255
    this.hits = [];
    this.picked = -1;
    this.view = { x: 0, y: 0, zoom: 1 };
    this.isAsked = false;
    this.listen();
    new ResizeObserver(() => this.draw()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  setPoints(buffer, areas) {
    const count = buffer.byteLength / 9;
    this.points = new Float32Array(buffer, 0, 2 * count);
    this.areaOf = new Uint8Array(buffer, 8 * count, count);
    this.areas = areas;
    this.lit = null;
    this.draw();
  }

  light(hits, picked = -1) {
    this.hits = hits;
    this.picked = picked;
    this.draw();
  }

  setLit(lit) {
    this.lit = lit?.length === this.areaOf.length ? lit : null;
    this.draw();
  }

  lightArea(number) {
    this.setLit(this.areaOf.map((one) => (one === number ? 200 : 0)));
  }

  draw() {
    if (this.isAsked) return;
    this.isAsked = true;
    requestAnimationFrame(() => {
      this.isAsked = false;
      this.paint();
    });
  }

  // How a place of the map becomes one of the canvas: [left + x * half, top - y * half].
  frame() {
    const { width, height } = this.canvas;
    const half = (Math.min(width, height) / 2) * 0.95 * this.view.zoom;
    return { half, left: width / 2 - this.view.x * half, top: height / 2 + this.view.y * half };
  }

  place(row, { half, left, top } = this.frame()) {
    return [left + this.points[2 * row] * half, top - this.points[2 * row + 1] * half];
  }

  paint() {
    const ratio = devicePixelRatio || 1;
    const canvas = this.canvas;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((size) => Math.max(1, Math.round(size * ratio)));
    if (canvas.width !== width) canvas.width = width;
    if (canvas.height !== height) canvas.height = height;
    const style = getComputedStyle(canvas);
    const color = (name) => style.getPropertyValue(`--${name}`).trim();
    const context = canvas.getContext("2d");
    this.paintPoints(context, ratio, color);
    this.paintNames(context, ratio, color);
    const frame = this.frame();
    this.hits.map((row, rank) => [row, rank]).reverse().forEach(([row, rank]) => this.dot(context, row, rank, ratio, color, frame));
    if (this.picked >= 0) this.ring(context, this.picked, 11 * ratio, color("ink"), frame);
  }

  // Points that fall together become darker. With a query, those that are like it keep their color.
  paintPoints(context, ratio, color) {
    const { width, height } = this.canvas;
    const image = context.createImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer);
    const palette = this.areas.filter(({ level }) => level === 0).map(({ number }) => areaColor(number, color));
    palette[NONE] = channels(color("point"));
    const gray = channels(color("unlit"));
    const count = this.areaOf.length;
    const { half, left, top } = this.frame();
    const usual = Math.max(1, Math.round(ratio * (count > MANY ? 1 : 2) * Math.min(3, Math.sqrt(this.view.zoom))));
    const alpha = count > MANY ? 130 : 190;
    for (let row = 0; row < count; row += 1) {
      const x = Math.round(left + this.points[2 * row] * half);
      const y = Math.round(top - this.points[2 * row + 1] * half);
      if (x < 0 || y < 0 || x >= width || y >= height) continue;
      const lit = this.lit ? this.lit[row] : 0;
      const [red, green, blue] = this.lit && !lit ? gray : palette[this.areaOf[row]] ?? palette[NONE];
      const size = lit > 110 ? usual + Math.round(ratio) : usual;
      const more = this.lit ? (lit ? 70 + lit : 40) : alpha;
      for (let dy = 0; dy < size && y + dy < height; dy += 1) {
        for (let dx = 0; dx < size && x + dx < width; dx += 1) {
          const at = (y + dy) * width + x + dx;
          const before = pixels[at] >>> 24;
          if (this.lit && !lit && before > 120) continue; // what is lit stays on top
          pixels[at] = (Math.min(255, before + more) << 24) | (blue << 16) | (green << 8) | red;
        }
      }
    }
    context.putImageData(image, 0, 0);
  }

  // Names of the areas, the large ones first; one that would cover another is left out.
  paintNames(context, ratio, color) {
    const frame = this.frame();
    const level = this.view.zoom < FINE ? 0 : 1;
    const taken = [];
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.lineJoin = "round";
    for (const area of this.areas.filter((one) => one.level === level)) {
      const size = (level === 0 ? 11 + Math.min(4, Math.log10(area.documents)) : 12) * ratio;
      context.font = `600 ${size}px system-ui, sans-serif`;
      const [x, y] = [frame.left + area.x * frame.half, frame.top - area.y * frame.half];
      const half = context.measureText(area.label).width / 2 + 4 * ratio;
      const box = [x - half, y - size * 0.8, x + half, y + size * 0.8];
      if (box[0] < 0 || box[2] > this.canvas.width || box[1] < 0 || box[3] > this.canvas.height) continue;
      if (taken.some((other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3])) continue;
      taken.push(box);
      context.lineWidth = 4 * ratio;
      context.strokeStyle = color("panel");
      context.fillStyle = color("ink");
      context.globalAlpha = 0.85;
      context.strokeText(area.label, x, y);
      context.globalAlpha = this.lit ? 0.7 : 1;
      context.fillText(area.label, x, y);
      context.globalAlpha = 1;
    }
  }

  // A hit with its number, as in the list.
  dot(context, row, rank, ratio, color, frame) {
    const [x, y] = this.place(row, frame);
    const radius = (row === this.picked ? 11 : 8.5) * ratio;
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fillStyle = color("hit");
    context.strokeStyle = color("panel");
    context.lineWidth = 1.5 * ratio;
    context.fill();
    context.stroke();
    context.font = `700 ${radius * 1.15}px system-ui, sans-serif`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillStyle = color("on-hit");
    context.fillText(rank + 1, x, y + 0.5 * ratio);
  }

  ring(context, row, radius, color, frame) {
    const [x, y] = this.place(row, frame);
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.strokeStyle = color;
    context.lineWidth = radius / 5;
    context.stroke();
  }

  // The document whose point is nearest to a place of the canvas; hits come first, because they are in front.
  nearest(x, y, reach = NEAR) {
    const frame = this.frame();
    let [best, distance] = [-1, (reach * (devicePixelRatio || 1)) ** 2];
    const look = (row) => {
      const found = (frame.left + this.points[2 * row] * frame.half - x) ** 2 + (frame.top - this.points[2 * row + 1] * frame.half - y) ** 2;
      if (found < distance) [best, distance] = [row, found];
    };
    this.hits.forEach(look);
    if (best < 0) for (let row = 0; row < this.areaOf.length; row += 1) look(row);
    return best;
  }

  move(dx, dy) {
    const { half } = this.frame();
    this.view.x -= dx / half;
    this.view.y += dy / half;
    this.draw();
  }

  // Enlarge around a place of the canvas, which stays where it is.
  enlarge(factor, x = this.canvas.width / 2, y = this.canvas.height / 2) {
    const before = this.frame();
    const [mapX, mapY] = [(x - before.left) / before.half, (before.top - y) / before.half];
    this.view.zoom = Math.min(FARTHEST, Math.max(0.7, this.view.zoom * factor));
    const after = this.frame();
    this.view.x += mapX - (x - after.left) / after.half;
    this.view.y += mapY - (after.top - y) / after.half;
    this.draw();
  }

  show(x, y, zoom) {
    this.view = { x, y, zoom };
    this.draw();
  }

  // Where an event is, in pixels of the canvas.
  at(event) {
    const [box, ratio] = [this.canvas.getBoundingClientRect(), devicePixelRatio || 1];
    return [(event.clientX - box.left) * ratio, (event.clientY - box.top) * ratio];
  }

  listen() {
    const canvas = this.canvas;
    const fingers = new Map();
    let moved = 0;
    canvas.addEventListener("pointerdown", (event) => {
      fingers.set(event.pointerId, this.at(event));
      moved = fingers.size > 1 ? Infinity : 0;
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      const now = this.at(event);
      const from = fingers.get(event.pointerId);
      if (!from) return this.on.point(this.nearest(...now), event.clientX, event.clientY);
      fingers.set(event.pointerId, now);
      const [dx, dy] = [now[0] - from[0], now[1] - from[1]];
      moved += Math.abs(dx) + Math.abs(dy);
      const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
      if (other) {
        const apart = (one) => Math.max(1, Math.hypot(one[0] - other[0], one[1] - other[1]));
        this.enlarge(apart(now) / apart(from), ...other);
      } else if (moved > 4) {
        this.on.point(-1);
        this.move(dx, dy);
      }
    });
    const lift = (event) => {
      if (!fingers.delete(event.pointerId) || moved > 4 || event.type !== "pointerup") return;
      const row = this.nearest(...this.at(event));
      if (row >= 0) this.on.pick(row);
    };
    canvas.addEventListener("pointerup", lift);
    canvas.addEventListener("pointercancel", lift);
    canvas.addEventListener("pointerleave", () => this.on.point(-1));
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.enlarge(Math.exp(-event.deltaY / 400), ...this.at(event));
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => {
      const steps = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] };
      if (steps[event.key]) this.move(...steps[event.key]);
      else if (event.key === "+") this.enlarge(1.3);
      else if (event.key === "-") this.enlarge(1 / 1.3);
      else if (event.key === "0") this.show(0, 0, 1);
      else if (event.key === "Enter" && this.areaOf.length) this.on.pick(this.nearest(canvas.width / 2, canvas.height / 2, Infinity));
      else return;
      event.preventDefault();
    });
  }
}

// Colors of the areas come from the style sheet; after the last one they begin again.
export function areaColor(number, color) {
  const palette = color("areas").split(" ");
  return channels(palette[number % palette.length]);
}

function channels(color) {
  const hex = color.trim().replace("#", "");
  return [0, 2, 4].map((place) => parseInt(hex.slice(place, place + 2), 16));
}
