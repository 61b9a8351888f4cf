// The page: tabs, search with its hits and the map, keys.

import { areaColor, CorpusMap } from "./map.js";
import {
  $, ask, asTyped, bar, broken, colored, columns, heading, largestShare, make, number, show, showCard, showExamples, signed,
  startCompare, startWords, tellProblem, useKey,
} from "./views.js";

const SHOWN = 12; // hits
const CHIPS = 6; // words of a hit that are named
const NAMED = 10; // words that are not in the vocabulary
const TRIES = 20; // while the map is drawn
const tabs = [...document.querySelectorAll("[role=tab]")];
const model = () => $("model").value || undefined;
let map = null;
let current = -1; // place of the hit that has the keyboard
let asked = ""; // the query of the hits that are shown
let found = []; // the hits that are shown
let documents = 0; // in the index, as of the last answer

// ---- tabs

function choose(tab, isFocused = true) {
  for (const one of tabs) {
    const isChosen = one === tab;
    one.setAttribute("aria-selected", isChosen);
    one.tabIndex = isChosen ? 0 : -1;
    $(one.getAttribute("aria-controls")).hidden = !isChosen;
  }
  if (isFocused) tab.focus();
  if (tab.id === "tab-card") showCard(model()).catch(tellProblem);
}

for (const [place, tab] of tabs.entries()) {
  tab.addEventListener("click", () => choose(tab));
  tab.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const shown = tabs.filter((one) => !one.hidden);
    choose(shown[(shown.indexOf(tab) + step + shown.length) % shown.length]);
  });
}

// ---- search

const search = asTyped(async (signal, query) => {
  tellProblem(null);
  if (!query.trim()) {
    asked = "";
    found = [];
    $("status").textContent = "";
    showUnknown([]);
    show($("hits"));
    $("areas").hidden = !map?.areas.length;
    map?.light([]);
    map?.setLit(null);
    return;
  }
  const started = performance.now();
  const answer = await ask("v1/search", { query, k: SHOWN, explain: true }, { signal });
  showSize(answer.documents);
  const milliseconds = Math.max(1, Math.round(performance.now() - started));
  const none = "No word of this is in the vocabulary; try other words";
  const hits = `${answer.hits.length} of ${answer.documents.toLocaleString("en")} documents in ${milliseconds} ms`;
  $("status").textContent = answer.known_words ? hits : none;
  showUnknown(answer.known_words ? answer.unknown_words : []);
  $("areas").hidden = true;
  const focused = document.activeElement?.closest(".hit") ? current : -1;
  [current, asked, found] = [-1, query, answer.hits];
  show($("hits"), ...found.map(hitItem));
  $("hits").children[focused]?.focus(); // who walks through the hits already stays among them
  map?.light(found.map(({ row }) => row));
  if (map) map.setLit(answer.known_words ? new Uint8Array(await ask("page/light", { query }, { signal, binary: true })) : null);
});

// Name the words of a query that play no part, as the command line does.
function showUnknown(unknown) {
  const more = unknown.length > NAMED ? ` and ${unknown.length - NAMED} more` : "";
  $("unknown").textContent = `not in the vocabulary: ${unknown.slice(0, NAMED).join(", ")}${more}`;
  $("unknown").hidden = !unknown.length;
}

function showSize(count) {
  documents = count;
  $("size").textContent = `${count.toLocaleString("en")} document${count === 1 ? "" : "s"}`;
}

function hitItem(hit, place) {
  const read = () => readRow(hit.row);
  const [before, after] = hit.is_cut.map((isCut) => (isCut ? "…" : ""));
  return make("li", {
    class: "hit", tabindex: "-1", onclick: read, onfocus: () => mark(place), onmouseenter: () => light(place),
    onmouseleave: () => light(-1), onkeydown: (event) => event.key === "Enter" && read(), "data-row": hit.row,
    "aria-label": `Hit ${place + 1}, similarity ${number(hit.similarity)}`,
  },
    make("h2", {}, ...heading(hit), make("i", { class: "rank" }, String(place + 1)), make("b", {}, number(hit.similarity)), bar(hit.similarity),
      make("span", {}, `document ${hit.id}`), ...columns(hit)),
    make("p", {}, before, ...colored(hit.pieces, largestShare(hit.pieces)), after),
    make("p", { class: "found" }, ...hit.words.slice(0, CHIPS).map(({ word, share }) => make("span", {}, word, make("b", {}, signed(share))))));
}

function mark(place) {
  current = place;
  [...$("hits").children].forEach((item, i) => item.classList.toggle("current", i === place));
  light(place);
}

function light(place) {
  map?.light(found.map(({ row }) => row), found[place]?.row ?? -1);
}

function searchFor(text) {
  choose($("tab-search"), false);
  $("query").value = text.replace(/\s+/g, " ").slice(0, 1000);
  search($("query").value);
  scrollTo({ top: 0 });
}

// ---- reading one document

async function readRow(row) {
  try {
    const one = await ask(`page/documents/${row}`, { query: asked || undefined });
    const close = make("button", { type: "button", class: "close", "aria-label": "Close the document", onclick: closeReading }, "×");
    const near = make("button", { type: "button", onclick: () => searchFor(one.text) }, "Find its neighbors");
    const compare = make("button", { type: "button", onclick: () => compareWith(one.text) }, "Compare with the query");
    const text = one.pieces ? colored(one.pieces, largestShare(one.pieces)) : [broken(one.text)];
    const similarity = one.pieces ? [make("b", {}, number(one.similarity))] : [];
    show($("reading"), close, make("h2", {}, ...heading(one), ...similarity, make("span", {}, `document ${one.id}`), ...columns(one)),
      make("p", { class: "buttons" }, near, ...(asked ? [compare] : [])), make("p", { class: "text" }, ...text));
    $("reading").hidden = false;
    $("reading").scrollTop = 0;
    $("reading").focus({ preventScroll: innerWidth > 832 });
    map?.light(found.map((hit) => hit.row), row);
  } catch (error) {
    tellProblem(error);
  }
}

function closeReading() {
  $("reading").hidden = true;
  map?.light(found.map(({ row }) => row));
  ($("hits").children[current] ?? $("query")).focus();
}

function compareWith(text) {
  [$("first").value, $("second").value] = [asked, text];
  choose($("tab-compare"), false);
  compare();
}

// ---- map

const beginnings = new Map(); // of documents that the pointer was over
let pointed = -1;

async function pointAt(row, x, y) {
  pointed = row;
  $("tip").hidden = row < 0;
  $("map").style.cursor = row < 0 ? "grab" : "pointer";
  if (row < 0) return;
  if (!beginnings.has(row)) {
    $("tip").hidden = true;
    await new Promise((resolve) => setTimeout(resolve, 80));
    if (pointed !== row) return;
    const one = await ask(`page/documents/${row}`).catch(() => null);
    if (one) beginnings.set(row, broken(one.text).replace(/\s+/g, " ").slice(0, 180));
  }
  if (pointed !== row || !beginnings.has(row)) return;
  const box = $("map").getBoundingClientRect();
  $("tip").textContent = `${beginnings.get(row)} …`;
  $("tip").hidden = false;
  $("tip").style.left = `${Math.min(Math.max(0, x - box.left - 130), box.width - 270)}px`;
  const isBelow = y - box.top < box.height / 2;
  $("tip").style.top = isBelow ? `${y - box.top + 18}px` : "auto";
  $("tip").style.bottom = isBelow ? "auto" : `${box.bottom - y + 12}px`;
}

// The first one who wants the map waits until it is drawn, which may take longer than a request may.
async function wanted(path, options) {
  for (let tries = 0; ; tries += 1) {
    try {
      return await ask(path, null, options);
    } catch (error) {
      if (error.status !== 503 || tries >= TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }
}

async function startMap() {
  map ??= new CorpusMap($("map"), $("names"), { pick: readRow, point: pointAt });
  $("map-status").textContent = "Drawing the map …";
  try {
    const points = await wanted("page/map", { binary: true });
    const { areas } = await wanted("page/areas");
    map.setPoints(points, areas);
    showAreas(areas.filter(({ level }) => level === 0));
    if (found.length) search(asked);
  } finally {
    $("map-status").textContent = "";
  }
}

function showAreas(areas) {
  const style = getComputedStyle($("map"));
  const items = areas.map((area) => {
    const dot = make("i", { class: "dot", "aria-hidden": "true" });
    dot.style.background = `rgb(${areaColor(area.number, (name) => style.getPropertyValue(`--${name}`).trim())})`;
    const go = () => searchFor(area.label.replaceAll(",", ""));
    const [lit, dark] = [() => asked || map.lightArea(area.number), () => asked || map.setLit(null)];
    return make("li", {}, make("button", { type: "button", onclick: go, onmouseenter: lit, onfocus: lit, onmouseleave: dark, onblur: dark },
      dot, make("span", {}, area.label), make("small", {}, area.documents.toLocaleString("en"))));
  });
  show($("areas").querySelector("ul"), ...items);
  $("areas").hidden = $("query").value.trim() !== "" || !areas.length;
  $("map").setAttribute("aria-label", `Map of the corpus. Its areas are: ${areas.map(({ label }) => label).join("; ")}`);
  showExamples(areas.map(({ label }) => label.split(", ")[0]));
}

$("zoom-in").addEventListener("click", () => map?.enlarge(1.6));
$("zoom-out").addEventListener("click", () => map?.enlarge(1 / 1.6));
$("zoom-all").addEventListener("click", () => map?.showAll());

// ---- keyboard

document.addEventListener("keydown", (event) => {
  const isTyping = event.target.matches("input, textarea, select");
  if (event.key === "/" && !isTyping) {
    choose($("tab-search"), false);
    $("query").focus();
    event.preventDefault();
  }
  if (event.key === "Escape" && !$("reading").hidden && !$("search").hidden) closeReading();
  const isHere = event.target === $("query") || event.target.closest?.(".hit");
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || !isHere) return;
  event.preventDefault();
  const items = $("hits").children;
  const next = current + step;
  if (next < 0) {
    mark(-1);
    $("query").focus();
  } else items[next]?.focus();
});

$("query").addEventListener("input", () => search($("query").value));
$("search-form").addEventListener("submit", (event) => {
  event.preventDefault();
  search($("query").value);
});

// ---- start

const words = startWords(model);
const compare = startCompare(model);

async function start() {
  tellProblem(null);
  const info = await ask("info");
  show($("model"), ...info.models.map((name) => make("option", { value: name }, name)));
  if (info.index) {
    showSize(info.index.documents);
    $("draw-two").hidden = false;
    $("draw-two").onclick = () => drawTwo().catch(tellProblem);
    $("query").focus();
    await startMap();
  } else {
    $("tab-search").hidden = true;
    choose($("tab-words"), false);
    $("word").focus();
  }
}

async function drawTwo() {
  const rows = [0, 1].map(() => Math.floor(Math.random() * documents));
  const [first, second] = await Promise.all(rows.map((row) => ask(`page/documents/${row}`)));
  [$("first").value, $("second").value] = [first, second].map(({ text }) => broken(text));
  compare();
}

$("model").addEventListener("change", () => {
  words();
  compare();
  if (!$("card").hidden) showCard(model()).catch(tellProblem);
});
$("key-form").addEventListener("submit", (event) => {
  event.preventDefault();
  useKey($("key").value);
  $("key-form").hidden = true;
  start().catch(tellProblem);
});
start().catch(tellProblem);
