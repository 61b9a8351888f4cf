"use strict";
// The page of a map: data, colors, legend, search, the card of a document. scatter.js draws the points.
// Texts are data: they reach the page as textContent only.

const PALETTE = ["#3b76d6", "#e8833a", "#2f9e58", "#d1495b", "#8e6cc9", "#9a6b4f", "#e377b4", "#1aa7b8", "#a8a526",
  "#5c6f82", "#f2b134", "#6fbf73"];
const VIRIDIS = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];
const MOST_SHOWN = 60;
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
  const names = $("names"), dark = matchMedia("(prefers-color-scheme: dark)");
  const radius = Math.max(1.1, 5.2 - 0.8 * Math.log10(n));
  let column = data.colors[0], hits = null, chosen = null, lit = null, shown = -1, pinned = -1, lowered = null, drawn = [];

  // ---- drawing
  const map = new Scatter($("points"), { hover, pick: pin, moved, drawn: drawNames }, () => {  // what header and legend leave free
    const head = document.querySelector("header").offsetHeight, side = $("legend");
    const isNarrow = matchMedia("(max-width: 640px)").matches;
    return { left: 0, top: head, right: innerWidth - (isNarrow ? 0 : side.offsetWidth + 16),
      bottom: innerHeight - (isNarrow ? side.offsetHeight : 0) };
  });
  function paint() {
    const own = colorsOf(column), style = getComputedStyle(document.documentElement);
    if (!lit) {  // what has no category goes below the others
      const opacity = n > 20000 ? 0.6 : 0.8, group = { size: radius, opacity, isPicked: true };
      map.paint([group, group], (i) => (column.codes && column.codes[i] < 0 ? 0 : 1), own);
      return;
    }
    const accent = rgb(style.getPropertyValue("--accent").trim());
    const isGray = (i) => column.codes && !(column.codes[i] >= 0 && column.codes[i] < PALETTE.length);
    const large = { size: radius * 1.4, opacity: 0.95, isPicked: true };
    map.paint([{ size: radius * 0.8, opacity: 0.25 }, large, large], (i) => (lit[i] ? isGray(i) ? 1 : 2 : 0),
      (i) => (!lit[i] ? [140, 140, 140] : isGray(i) ? accent : own(i)));
  }
  function drawNames() {
    const { density, width, height, zoom } = map, paper = names.getContext("2d");
    if (names.width !== width * density || names.height !== height * density) { names.width = width * density; names.height = height * density; }
    paper.setTransform(density, 0, 0, density, 0, 0);
    paper.clearRect(0, 0, width, height);
    const style = getComputedStyle(document.documentElement), finest = zoom < 1.6 ? 0 : zoom < 3.5 ? 1 : 2;
    const areas = data.areas.filter((area) => area.level <= finest).map((area) => {
      const [x, y] = map.pixel(area.x, area.y);
      return { lines: area.lines, x, y, size: [14, 13, 12][area.level], weight: area.level ? 500 : 650 };
    });
    drawn = writeNames(paper, areas, { width, height, top: 50, ink: style.getPropertyValue("--ink"), edge: style.getPropertyValue("--paper") });
    for (const i of new Set([shown, pinned])) if (i >= 0) {
      paper.beginPath(); paper.lineWidth = 2; paper.strokeStyle = style.getPropertyValue("--accent");
      paper.arc(...map.place(i), 8, 0, 7); paper.stroke();
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
  function colorsOf(one) {  // -> a function from a document to its color
    const none = rgb(gray());
    if (!one.codes) return (i) => (one.values[i] === null ? none : ramp((one.values[i] - one.low) / (one.high - one.low || 1)));
    const table = one.values.map((_, code) => rgb(categoryColor(code)));
    return (i) => table[one.codes[i]] || none;
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
    paint();
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
    const [x, y] = map.place(i), { width, height } = map, size = box.getBoundingClientRect();
    box.style.left = `${x + 14 + size.width > width ? Math.max(8, x - 14 - size.width) : x + 14}px`;
    box.style.top = `${Math.max(56, Math.min(y + 10, height - size.height - 8))}px`;
  }
  function pin(i, isCentered) {
    pinned = i; shown = -1;
    if (isCentered && i >= 0) map.show(xs[i], ys[i], Math.max(map.zoom, 4));
    card(i, i >= 0); map.draw();
  }
  function hover(i) {
    if (i === shown) return;
    shown = i;
    if (pinned < 0) card(i, false);
    drawNames();
  }
  function moved() { if (pinned >= 0) card(pinned, true); else if (shown >= 0) hover(-1); }

  document.onkeydown = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") { $("search").value = ""; chosen = null; legend(); search(); pin(-1); $("points").focus(); return; }
    if (["INPUT", "SELECT"].includes(event.target.tagName)) { if (event.key === "Enter") nextHit(); return; }
    if (event.key === "/") $("search").focus();
    else if (!map.key(event.key)) return;
    event.preventDefault();
  };

  $("title").textContent = data.title;
  data.colors.forEach((one, number) => { element("option", one.name, $("color")).value = number; });
  $("color").onchange = () => { column = data.colors[$("color").value]; chosen = null; legend(); map.resize(); light(); };
  $("all").onclick = () => map.showAll();
  let timer = 0;
  $("search").oninput = () => { clearTimeout(timer); timer = setTimeout(search, 120); };
  dark.addEventListener("change", () => { legend(); paint(); });
  legend();
  map.setPoints(xs, ys);
  light();
  // For scripts and tests: where a document stands on the screen, and what is drawn.
  window.documentMap = { place: (i) => map.place(i), n, kind: map.kind, names: () => drawn, isMoving: () => map.moving > 0 };
  document.documentElement.dataset.ready = "yes";
}

unpack($("data")).then(start, (error) => { $("title").textContent = `This map cannot be shown: ${error.message}`; });
