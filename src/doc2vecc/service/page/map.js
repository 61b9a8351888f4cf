// The map: every document a point, drawn into pixels so that 100,000 of them move without lag.

const NEAR = 12; // pixels between a click and its point, at most
const FARTHEST = 200; // times enlarged

export class CorpusMap {
  constructor(canvas, onPick) {
    this.canvas = canvas;
    this.points = new Float32Array(0); // x, y of each document, from -1 to 1
    this.hits = [];
    this.picked = -1;
    this.view = { x: 0, y: 0, zoom: 1 };
    this.isAsked = false;
    this.onPick = onPick;
    this.listen();
    new ResizeObserver(() => this.draw()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  setPoints(points) {
    this.points = points;
    this.draw();
  }

  light(hits, picked = -1) {
    this.hits = hits;
    this.picked = picked;
    this.draw();
  }

  draw() {
    if (this.isAsked) return;
    this.isAsked = true;
    requestAnimationFrame(() => {
      this.isAsked = false;
      this.paint();
    });
  }

  place(row) {
    const { width, height } = this.canvas;
    const half = (Math.min(width, height) / 2) * 0.95 * this.view.zoom;
    return [width / 2 + (this.points[2 * row] - this.view.x) * half, height / 2 - (this.points[2 * row + 1] - this.view.y) * half];
  }

  paint() {
    const ratio = devicePixelRatio || 1;
    const canvas = this.canvas;
    canvas.width = Math.max(1, Math.round(canvas.clientWidth * ratio));
    canvas.height = Math.max(1, Math.round(canvas.clientHeight * ratio));
    const context = canvas.getContext("2d");
    this.paintPoints(context, ratio);
    const color = getComputedStyle(canvas).getPropertyValue("--hit");
    this.hits.forEach((row, rank) => this.ring(context, row, (rank ? 4 : 6) * ratio, color, true));
    if (this.picked >= 0) this.ring(context, this.picked, 8 * ratio, color, false);
  }

  // Points that fall together become darker.
  paintPoints(context, ratio) {
    const { width, height } = this.canvas;
    const image = context.createImageData(width, height);
    const [red, green, blue] = channels(getComputedStyle(this.canvas).getPropertyValue("--point"));
    const pixels = image.data;
    const count = this.points.length / 2;
    const size = Math.round(ratio * (count > 20000 ? 1 : 2));
    const alpha = count > 20000 ? 70 : 130;
    for (let row = 0; row < count; row += 1) {
      const [x, y] = this.place(row);
      const [left, top] = [Math.round(x), Math.round(y)];
      for (let dy = 0; dy < size; dy += 1) {
        for (let dx = 0; dx < size; dx += 1) {
          if (left + dx < 0 || left + dx >= width || top + dy < 0 || top + dy >= height) continue;
          const at = 4 * ((top + dy) * width + left + dx);
          pixels[at] = red;
          pixels[at + 1] = green;
          pixels[at + 2] = blue;
          pixels[at + 3] = Math.min(255, pixels[at + 3] + alpha);
        }
      }
    }
    context.putImageData(image, 0, 0);
  }

  ring(context, row, radius, color, isFull) {
    const [x, y] = this.place(row);
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fillStyle = context.strokeStyle = color;
    context.lineWidth = radius / 3;
    if (isFull) context.fill();
    else context.stroke();
  }

  nearest(x, y) {
    let [best, distance] = [-1, (NEAR * (devicePixelRatio || 1)) ** 2];
    for (let row = 0; row < this.points.length / 2; row += 1) {
      const [px, py] = this.place(row);
      const found = (px - x) ** 2 + (py - y) ** 2;
      if (found < distance) [best, distance] = [row, found];
    }
    return best;
  }

  move(dx, dy) {
    const half = (Math.min(this.canvas.width, this.canvas.height) / 2) * this.view.zoom;
    this.view.x -= dx / half;
    this.view.y += dy / half;
    this.draw();
  }

  enlarge(factor) {
    this.view.zoom = Math.min(FARTHEST, Math.max(0.5, this.view.zoom * factor));
    this.draw();
  }

  listen() {
    const canvas = this.canvas;
    let from = null;
    let moved = 0;
    canvas.addEventListener("pointerdown", (event) => {
      from = [event.clientX, event.clientY];
      moved = 0;
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!from) return;
      const [dx, dy] = [event.clientX - from[0], event.clientY - from[1]];
      moved += Math.abs(dx) + Math.abs(dy);
      from = [event.clientX, event.clientY];
      const ratio = devicePixelRatio || 1;
      if (moved > 4) this.move(dx * ratio, dy * ratio);
    });
    canvas.addEventListener("pointerup", (event) => {
      from = null;
      if (moved > 4) return;
      const [box, ratio] = [canvas.getBoundingClientRect(), devicePixelRatio || 1];
      const row = this.nearest((event.clientX - box.left) * ratio, (event.clientY - box.top) * ratio);
      if (row >= 0) this.onPick(row);
    });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.enlarge(Math.exp(-event.deltaY / 400));
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => {
      const steps = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] };
      if (steps[event.key]) this.move(...steps[event.key]);
      else if (event.key === "+") this.enlarge(1.3);
      else if (event.key === "-") this.enlarge(1 / 1.3);
      else return;
      event.preventDefault();
    });
  }
}

function channels(color) {
  const hex = color.trim().replace("#", "");
  return [0, 2, 4].map((place) => parseInt(hex.slice(place, place + 2), 16));
}
