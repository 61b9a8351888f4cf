"use strict";
// A map of documents on two canvases: points, drawn pixel by pixel, and the names of areas above them.
// Texts are data: they reach the page as textContent only.

const PALETTE = ["#3b76d6", "#e8833a", "#2f9e58", "#d1495b", "#8e6cc9", "#9a6b4f", "#e377b4", "#1aa7b8", "#a8a526",
  "#5c6f82", "#f2b134", "#6fbf73"];
const VIRIDIS = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];
const CELLS = 256, FARTHEST = 12, MOST_SHOWN = 60;
const WHILE_MOVING = 25000, PAUSE = 120;  // points that are drawn until the map has stood still for so many milliseconds
const $ = (id) => document.getElementById(id);
const element = (kind, text, parent) => {
  const made = document.createElement(kind);
  if (text !== undefined) made.textContent = text;
  if (parent) parent.append(made);
  return made;
};

async function unpack(block) {
  const text = atob(block.textContent.trim());
  const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

function start(data) {
  const n = data.x.length;
  const xs = Float32Array.from(data.x, (value) => value / 32767.5 - 1);
  const ys = Float32Array.from(data.y, (value) => value / 32767.5 - 1);
  const canvas = $("points"), paper = canvas.getContext("2d", { alpha: false }), names = $("names").getContext("2d");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const order = shuffled(n), grid = makeGrid();
  let width = 0, height = 0, density = 1, frame = null;
  let zoom = 1, centerX = 0, centerY = 0;
  let column = data.colors[0], red, green, blue;
  let hits = null, chosen = null, lit = null, shown = -1, pinned = -1, waiting = false, lowered = null, drawn = [], moving = 0;

  function shuffled(count) {  // so that no category covers the others
    const found = Uint32Array.from({ length: count }, (_, i) => i);
    let state = 1;
    for (let i = count - 1; i > 0; i--) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      const j = Math.floor(state / 4294967296 * (i + 1));
      [found[i], found[j]] = [found[j], found[i]];
    }
    return found;
  }

  // ---- which point is near: cells of the plane, and the points of each
  function cell(value) { return Math.max(0, Math.min(CELLS - 1, Math.floor((value + 1) / 2 * CELLS))); }
  function makeGrid() {
    const first = new Uint32Array(CELLS * CELLS + 1), members = new Uint32Array(n);
    for (let i = 0; i < n; i++) first[cell(ys[i]) * CELLS + cell(xs[i]) + 1]++;
    for (let c = 0; c < CELLS * CELLS; c++) first[c + 1] += first[c];
    const next = first.slice();
    for (let i = 0; i < n; i++) members[next[cell(ys[i]) * CELLS + cell(xs[i])]++] = i;
    return { first, members };
  }
  function nearest(px, py) {
    const scale = unit(), x = (px - middleX) / scale + centerX, y = (middleY - py) / scale + centerY;
    const reach = FARTHEST / scale;
    let best = -1, least = reach * reach;
    for (let row = cell(y - reach); row <= cell(y + reach); row++) {
      const from = grid.first[row * CELLS + cell(x - reach)], to = grid.first[row * CELLS + cell(x + reach) + 1];
      for (let place = from; place < to; place++) {
        const i = grid.members[place], away = (xs[i] - x) ** 2 + (ys[i] - y) ** 2;
        if (away < least && (!lit || lit[i])) { best = i; least = away; }
      }
    }
    return best;
  }

  // ---- drawing
  const wide = xs.reduce((most, x) => Math.max(most, Math.abs(x)), 0.01);
  const high = ys.reduce((most, y) => Math.max(most, Math.abs(y)), 0.01);
  let middleX = 0, middleY = 0, fit = 1;  // of what header and legend leave free
  function unit() { return fit * zoom; }
  function place(i) { return [middleX + (xs[i] - centerX) * unit(), middleY - (ys[i] - centerY) * unit()]; }
  function resize() {
    density = Math.min(devicePixelRatio || 1, 2);
    width = innerWidth; height = innerHeight;
    for (const one of [canvas, $("names")]) { one.width = width * density; one.height = height * density; }
    frame = paper.createImageData(canvas.width, canvas.height);
    const head = document.querySelector("header").offsetHeight, side = $("legend");
    const isNarrow = matchMedia("(max-width: 640px)").matches;
    const right = isNarrow ? 0 : side.offsetWidth + 16, below = isNarrow ? side.offsetHeight : 0;
    middleX = (width - right) / 2; middleY = (height + head - below) / 2;
    fit = Math.max(40, Math.min((width - right) / 2 / wide, (height - head - below) / 2 / high) * 0.95);
    draw();
  }
  function draw() {
    if (!waiting && frame) { waiting = true; requestAnimationFrame(() => { waiting = false; drawPoints(); drawNames(); }); }
  }
  function disc(radius) {  // (right, down, how much of the pixel is covered) of a round point
    const found = [], reach = Math.ceil(radius);
    for (let down = -reach; down <= reach; down++) for (let right = -reach; right <= reach; right++) {
      const covered = Math.min(1, radius + 0.5 - Math.hypot(right, down));
      if (covered > 0.05) found.push([right, down, covered]);
    }
    return found;
  }
  function drawPoints() {
    const pixels = frame.data, w = frame.width, h = frame.height;
    const [r, g, b] = dark.matches ? [15, 19, 24] : [255, 255, 255];
    new Uint32Array(pixels.buffer).fill((255 << 24 | b << 16 | g << 8 | r) >>> 0);
    const radius = Math.min(7, Math.max(1.1, 5.2 - 0.8 * Math.log10(n)) * Math.pow(zoom, 0.4)) * density;
    const scale = unit() * density, left = middleX * density - centerX * scale, top = middleY * density + centerY * scale;
    const most = moving ? Math.min(n, WHILE_MOVING) : n;
    const stamp = (mask, opacity, keep, only, count = n) => {  // points of their own colors, or of one
      const edge = Math.ceil(radius * 1.4) + 1;
      const offsets = Int32Array.from(mask, (m) => (m[1] * w + m[0]) * 4);
      const weights = Float32Array.from(mask, (m) => m[2] * opacity);
      for (let place = 0; place < count; place++) {
        const i = order[place];
        if (keep && keep(i) === false) continue;
        const x = Math.round(left + xs[i] * scale), y = Math.round(top - ys[i] * scale);
        if (x < edge || y < edge || x >= w - edge || y >= h - edge) continue;
        const at = (y * w + x) * 4, pr = only ? only[0] : red[i], pg = only ? only[1] : green[i], pb = only ? only[2] : blue[i];
        for (let m = 0; m < offsets.length; m++) {
          const p = at + offsets[m], a = weights[m];
          pixels[p] += (pr - pixels[p]) * a;
          pixels[p + 1] += (pg - pixels[p + 1]) * a;
          pixels[p + 2] += (pb - pixels[p + 2]) * a;
        }
      }
    };
    if (lit) {
      const large = disc(radius * 1.4), isGray = (i) => column.codes && !(column.codes[i] >= 0 && column.codes[i] < PALETTE.length);
      stamp(disc(radius * 0.8), 0.25, (i) => !lit[i], [140, 140, 140], most);
      stamp(large, 0.95, (i) => lit[i] === 1 && isGray(i), rgb(getComputedStyle(document.documentElement).getPropertyValue("--accent").trim()));
      stamp(large, 0.95, (i) => lit[i] === 1 && !isGray(i));
    } else {
      const mask = disc(radius), opacity = n > 20000 ? 0.6 : 0.8;  // what has no category goes below the others
      if (column.codes) stamp(mask, opacity, (i) => column.codes[i] < 0, null, most);
      stamp(mask, opacity, (i) => !column.codes || column.codes[i] >= 0, null, most);
    }
    paper.putImageData(frame, 0, 0);
  }
  function drawNames() {
    names.setTransform(density, 0, 0, density, 0, 0);
    names.clearRect(0, 0, width, height);
    const style = getComputedStyle(document.documentElement), taken = [];
    names.textAlign = "center"; names.textBaseline = "middle"; names.lineJoin = "round"; names.lineWidth = 3.5;
    names.strokeStyle = style.getPropertyValue("--paper"); names.fillStyle = style.getPropertyValue("--ink");
    const finest = zoom < 1.6 ? 0 : zoom < 3.5 ? 1 : 2;
    drawn = [];
    for (const area of data.areas) {
      const name = area.lines.join(" ");  // a part of an area may have the same name: once is enough
      if (area.level > finest || drawn.includes(name)) continue;
      const x = middleX + (area.x - centerX) * unit(), y = middleY - (area.y - centerY) * unit();
      const size = [14, 13, 12][area.level];
      names.font = `${area.level ? 500 : 650} ${size}px system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif`;
      const across = Math.max(...area.lines.map((line) => names.measureText(line).width)) + 10;
      const tall = area.lines.length * size * 1.2 + 4;
      if (x < 0 || x > width || y < 50 || y > height) continue;
      const middle = Math.max(across / 2, Math.min(x, width - across / 2));  // a name at the edge moves inside
      const box = [middle - across / 2, y - tall / 2, middle + across / 2, y + tall / 2];
      if (taken.some((t) => box[0] < t[2] && box[2] > t[0] && box[1] < t[3] && box[3] > t[1])) continue;
      taken.push(box); drawn.push(name);
      area.lines.forEach((line, i) => {
        const down = y + (i - (area.lines.length - 1) / 2) * size * 1.2;
        names.strokeText(line, middle, down); names.fillText(line, middle, down);
      });
    }
    for (const i of new Set([shown, pinned])) if (i >= 0) {
      names.beginPath(); names.lineWidth = 2; names.strokeStyle = style.getPropertyValue("--accent");
      names.arc(...place(i), 8, 0, 7); names.stroke();
    }
  }

  // ---- colors
  const rgb = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  const gray = () => (dark.matches ? "#565e67" : "#b4bac0");
  const categoryColor = (code) => (code >= 0 && code < PALETTE.length ? PALETTE[code] : gray());
  function ramp(share) {
    const at = Math.max(0, Math.min(1, share)) * (VIRIDIS.length - 1), low = Math.min(Math.floor(at), VIRIDIS.length - 2);
    return VIRIDIS[low].map((value, i) => Math.round(value + (VIRIDIS[low + 1][i] - value) * (at - low)));
  }
  const written = (value, c) => value === null ? "–" : c.date
    ? new Date(value * 864e5).toISOString().slice(0, 10) : value.toLocaleString("en", { maximumFractionDigits: 3 });
  const valueOf = (c, i) => (c.codes ? (c.codes[i] < 0 ? "–" : c.values[c.codes[i]]) : written(c.values[i], c));
  function paint() {
    [red, green, blue] = [new Uint8Array(n), new Uint8Array(n), new Uint8Array(n)];
    const table = column.codes ? column.values.map((_, code) => rgb(categoryColor(code))) : null, none = rgb(gray());
    for (let i = 0; i < n; i++) {
      const value = column.codes ? column.codes[i] : column.values[i];
      const [r, g, b] = table ? table[value] || none
        : value === null ? none : ramp((value - column.low) / (column.high - column.low || 1));
      red[i] = r; green[i] = g; blue[i] = b;
    }
  }
  function legend() {
    const box = $("legend");
    box.replaceChildren();
    if (!column.codes) {
      const scale = element("div", undefined, box), ends = element("div", undefined, box);
      scale.className = "scale"; ends.className = "ends";
      scale.style.background = `linear-gradient(90deg, ${VIRIDIS.map((c) => `rgb(${c})`).join(",")})`;
      for (const end of [column.low, column.high]) element("small", written(end, column), ends);
      return;
    }
    const show = (value, code, size) => {
      const row = element("button", undefined, box);
      element("i", undefined, row).style.background = categoryColor(code);
      element("span", value, row); element("small", size.toLocaleString("en"), row);
      row.type = "button"; row.setAttribute("aria-pressed", String(code === chosen));
      row.onclick = () => { chosen = chosen === code ? null : code; legend(); light(); };
    };
    column.values.slice(0, MOST_SHOWN).forEach((value, code) => show(value, code, column.sizes[code]));
    const more = column.values.length - MOST_SHOWN, missing = n - column.sizes.reduce((sum, size) => sum + size, 0);
    if (more > 0) element("small", `and ${more.toLocaleString("en")} more`, box);
    if (missing) show("(none)", -1, missing);
  }

  // ---- search and choice
  function light() {
    lit = hits || chosen !== null ? new Uint8Array(n) : null;
    let found = 0;
    if (lit) for (let i = 0; i < n; i++) {
      lit[i] = (!hits || hits[i]) && (chosen === null || column.codes[i] === chosen) ? 1 : 0;
      found += lit[i];
    }
    $("count").textContent = lit ? `${found.toLocaleString("en")} of ${n.toLocaleString("en")}`
      : `${n.toLocaleString("en")} documents`;
    draw();
  }
  function search() {
    clearTimeout(timer); timer = 0;
    const words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length && !lowered) lowered = data.texts.map(
      (text, i) => [text, ...data.shown.map((one) => one.values[i])].join("\n").toLowerCase());
    hits = words.length ? Uint8Array.from(lowered, (text) => (words.every((word) => text.includes(word)) ? 1 : 0)) : null;
    light();
  }
  function nextHit() {
    if (timer) search();  // Enter came before the pause after which a search starts
    if (!lit) return;
    for (let step = 1; step <= n; step++) {
      const i = (pinned + step + n) % n;
      if (lit[i]) { pin(i, true); return; }
    }
  }

  // ---- the card of a document
  function card(i, isPinned) {
    const box = $("card");
    box.hidden = i < 0; box.classList.toggle("pinned", isPinned);
    if (i < 0) return;
    box.replaceChildren();
    if (isPinned) {
      const close = element("button", "×", box);
      close.className = "close"; close.setAttribute("aria-label", "Close"); close.onclick = () => pin(-1);
    }
    element("p", data.texts[i], box).className = "text";
    const list = element("dl", undefined, box);
    for (const one of [...data.shown.map((c) => [c.name, c.values[i]]), ...data.colors.map((c) => [c.name, valueOf(c, i)])]) {
      element("dt", one[0], list); element("dd", one[1], list);
    }
    if (isPinned && data.k) {
      element("small", "Nearest documents", box);
      for (const other of data.neighbors.slice(i * data.k, (i + 1) * data.k)) {
        const title = data.shown.length ? `${data.shown[0].values[other]}: ` : "";
        element("button", `${(title + data.texts[other]).slice(0, 90)}…`, box).onclick = () => pin(other, true);
      }
    }
    const [x, y] = place(i), size = box.getBoundingClientRect();
    box.style.left = `${x + 14 + size.width > width ? Math.max(8, x - 14 - size.width) : x + 14}px`;
    box.style.top = `${Math.max(56, Math.min(y + 10, height - size.height - 8))}px`;
  }
  function pin(i, isCentered) {
    pinned = i; shown = -1;
    if (isCentered && i >= 0) { centerX = xs[i]; centerY = ys[i]; zoom = Math.max(zoom, 4); }
    card(i, i >= 0); draw();
  }
  function hover(i) {
    if (i === shown) return;
    shown = i;
    if (pinned < 0) card(i, false);
    drawNames();
  }

  // ---- moving
  function zoomAt(px, py, factor) {
    const before = unit();
    zoom = Math.max(0.5, Math.min(400, zoom * factor));
    const change = 1 / before - 1 / unit();
    centerX += (px - middleX) * change; centerY -= (py - middleY) * change;
    moved();
  }
  function moved() {
    clearTimeout(moving);
    moving = setTimeout(() => { moving = 0; draw(); }, PAUSE);
    if (pinned >= 0) card(pinned, true); else if (shown >= 0) hover(-1);
    draw();
  }
  function showAll() { zoom = 1; centerX = centerY = 0; moved(); }
  const touches = new Map();
  let travelled = 0;
  canvas.onpointerdown = (event) => {
    touches.set(event.pointerId, event); travelled = 0;
    canvas.setPointerCapture(event.pointerId); canvas.classList.add("dragging");
  };
  canvas.onpointermove = (event) => {
    const before = touches.get(event.pointerId);
    if (!before) { hover(nearest(event.clientX, event.clientY)); return; }
    const others = [...touches.values()].filter((one) => one.pointerId !== event.pointerId);
    if (others.length) {
      const away = (one) => Math.hypot(one.clientX - others[0].clientX, one.clientY - others[0].clientY);
      zoomAt((event.clientX + others[0].clientX) / 2, (event.clientY + others[0].clientY) / 2, away(event) / (away(before) || 1));
    } else {
      centerX -= (event.clientX - before.clientX) / unit(); centerY += (event.clientY - before.clientY) / unit();
      moved();
    }
    travelled += Math.abs(event.clientX - before.clientX) + Math.abs(event.clientY - before.clientY);
    touches.set(event.pointerId, event);
  };
  canvas.onpointerup = canvas.onpointercancel = (event) => {
    if (touches.delete(event.pointerId) && travelled < 5 && event.type === "pointerup") pin(nearest(event.clientX, event.clientY));
    if (!touches.size) canvas.classList.remove("dragging");
  };
  canvas.onpointerleave = () => hover(-1);
  canvas.ondblclick = (event) => zoomAt(event.clientX, event.clientY, 2);
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoomAt(event.clientX, event.clientY, Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)));
  }, { passive: false });
  document.onkeydown = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") { $("search").value = ""; chosen = null; legend(); search(); pin(-1); canvas.focus(); return; }
    if (["INPUT", "SELECT"].includes(event.target.tagName)) { if (event.key === "Enter") nextHit(); return; }
    const step = 60 / unit(), moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
    if (event.key in moves) { centerX += moves[event.key][0]; centerY += moves[event.key][1]; moved(); }
    else if (event.key === "+" || event.key === "=") zoomAt(middleX, middleY, 1.3);
    else if (event.key === "-") zoomAt(middleX, middleY, 1 / 1.3);
    else if (event.key === "0") showAll();
    else if (event.key === "/") $("search").focus();
    else return;
    event.preventDefault();
  };

  $("title").textContent = data.title;
  data.colors.forEach((one, number) => { element("option", one.name, $("color")).value = number; });
  $("color").onchange = () => { column = data.colors[$("color").value]; chosen = null; paint(); legend(); resize(); light(); };
  $("all").onclick = showAll;
  let timer = 0;
  $("search").oninput = () => { clearTimeout(timer); timer = setTimeout(search, 120); };
  const repaint = () => { paint(); legend(); draw(); };
  dark.addEventListener("change", repaint);
  addEventListener("resize", resize);
  repaint(); resize(); light();
  // For scripts and tests: where a document stands on the screen, and how long a picture takes.
  window.documentMap = { place, n, names: () => drawn, isMoving: () => moving > 0, seconds: () => { const t = performance.now(); drawPoints(); drawNames(); return (performance.now() - t) / 1000; } };
  document.documentElement.dataset.ready = "yes";
}

unpack($("data")).then(start, (error) => { $("title").textContent = `This map cannot be shown: ${error.message}`; });
