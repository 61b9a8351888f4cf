// The map of the page: areas with names, what a query lights up, numbered hits. scatter.js draws and moves the points.
/* global Scatter, writeNames */

const FARTHEST = 200; // times enlarged
const FINE = 2.2; // times enlarged, from where on the fine areas have names
const MANY = 20000; // points that are drawn small
const STRONG = 110; // similarity to a query, from 0 to 255, of points that are drawn larger

export class CorpusMap {
  // `on` has functions: pick(row) for a click, point(row, x, y) for what the pointer is over, -1 for nothing.
  constructor(canvas, names, on) {
    this.canvas = canvas;
    this.names = names;
    this.on = on;
    this.areaOf = new Uint8Array(0);
    this.areas = [];
    this.lit = null; // how similar each document is to the query, from 0 to 255
    this.hits = [];
    this.picked = -1;
    const whole = () => ({ left: 0, top: 0, right: canvas.clientWidth, bottom: canvas.clientHeight });
    this.scatter = new Scatter(canvas, {
      hover: (row, event) => (row < 0 ? on.point(-1) : on.point(row, event.clientX, event.clientY)),
      pick: (row) => row >= 0 && on.pick(row),
      moved: () => on.point(-1),
      drawn: () => this.drawNames(),
    }, whole, { least: 0.7, most: FARTHEST });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.paint());
    canvas.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && this.areaOf.length) on.pick(this.scatter.nearest(canvas.clientWidth / 2, canvas.clientHeight / 2, Infinity));
      else if (!this.scatter.key(event.key)) return;
      event.preventDefault();
    });
  }

  setPoints(buffer, areas) {
    const count = buffer.byteLength / 9;
    const points = new Float32Array(buffer, 0, 2 * count); // x, y of each document, from -1 to 1
    this.areaOf = new Uint8Array(buffer, 8 * count, count);
    this.areas = areas;
    this.lit = null;
    this.scatter.setPoints(points.filter((_, i) => i % 2 === 0), points.filter((_, i) => i % 2 === 1));
    this.paint();
  }

  light(hits, picked = -1) {
    this.hits = hits;
    this.picked = picked;
    this.scatter.front = hits;
    this.scatter.draw();
  }

  setLit(lit) {
    this.lit = lit?.length === this.areaOf.length ? lit : null;
    this.paint();
  }

  lightArea(number) {
    this.setLit(this.areaOf.map((one) => (one === number ? 200 : 0)));
  }

  enlarge(factor) {
    this.scatter.enlarge(factor);
  }

  showAll() {
    this.scatter.showAll();
  }

  color(name) {
    return getComputedStyle(this.canvas).getPropertyValue(`--${name}`).trim();
  }

  // With a query, documents that are like it keep the color of their area; the more like, the larger and denser.
  paint() {
    if (!this.areaOf.length) return;
    const { lit, areaOf } = this;
    const palette = this.areas.filter(({ level }) => level === 0).map(({ number }) => areaColor(number, (name) => this.color(name)));
    const [none, unlit] = [channels(this.color("point")), channels(this.color("unlit"))];
    const size = areaOf.length > MANY ? 0.8 : 1.7;
    const own = (row) => palette[areaOf[row]] ?? none;
    if (!lit) this.scatter.paint([{ size, opacity: areaOf.length > MANY ? 0.5 : 0.75, isPicked: true }], () => 0, own);
    else {
      this.scatter.paint(
        [{ size, opacity: 0.3, isPicked: true }, { size, opacity: 0.6, isPicked: true }, { size: size + 0.6, opacity: 0.9, isPicked: true }],
        (row) => (lit[row] > STRONG ? 2 : lit[row] ? 1 : 0),
        (row) => (lit[row] ? own(row) : unlit),
      );
    }
  }

  // Names of the areas, the large ones first, and the hits above them.
  drawNames() {
    const { density, width, height, zoom } = this.scatter;
    const context = fitted(this.names, density, width, height);
    const level = zoom < FINE ? 0 : 1;
    const areas = this.areas.filter((one) => one.level === level).map((area) => {
      const [x, y] = this.scatter.pixel(area.x, area.y);
      return { lines: [area.label], x, y, size: level === 0 ? 11 + Math.min(4, Math.log10(area.documents)) : 12, weight: 600 };
    });
    context.globalAlpha = this.lit ? 0.7 : 1;
    writeNames(context, areas, { width, height, ink: this.color("ink"), edge: this.color("panel") });
    context.globalAlpha = 1;
    this.hits.map((row, rank) => [row, rank]).reverse().forEach(([row, rank]) => this.dot(context, row, rank));
    if (this.picked >= 0) this.ring(context, this.picked, 11);
  }

  // A hit with its number, as in the list.
  dot(context, row, rank) {
    const [x, y] = this.scatter.place(row);
    const radius = row === this.picked ? 11 : 8.5;
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fillStyle = this.color("hit");
    context.strokeStyle = this.color("panel");
    context.lineWidth = 1.5;
    context.fill();
    context.stroke();
    context.font = `700 ${radius * 1.15}px system-ui, sans-serif`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillStyle = this.color("on-hit");
    context.fillText(rank + 1, x, y + 0.5);
  }

  ring(context, row, radius) {
    const [x, y] = this.scatter.place(row);
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.strokeStyle = this.color("ink");
    context.lineWidth = radius / 5;
    context.stroke();
  }
}

// The empty paper of a canvas that is as large as the map.
function fitted(canvas, density, width, height) {
  canvas.width = width * density;
  canvas.height = height * density;
  const context = canvas.getContext("2d");
  context.setTransform(density, 0, 0, density, 0, 0);
  return context;
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
