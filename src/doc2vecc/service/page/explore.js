// The page: tabs, search with its hits and the map, keys.

import { CorpusMap } from "./map.js";
import {
  $, ask, asTyped, broken, colored, largestShare, make, number, show, showCard, signed, startCompare, startWords, tellProblem,
  useKey,
} from "./views.js";

const SHOWN = 12; // hits
const tabs = [...document.querySelectorAll("[role=tab]")];
const model = () => $("model").value || undefined;
let map = null;
let current = -1; // place of the hit that has the keyboard

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
    if (step) choose(tabs[(place + step + tabs.length) % tabs.length]);
  });
}

// ---- search

const search = asTyped(async (signal, query) => {
  tellProblem(null);
  if (!query.trim()) {
    $("status").textContent = "";
    show($("hits"));
    map?.light([]);
    return;
  }
  const started = performance.now();
  const found = await ask("v1/search", { query, k: SHOWN, explain: true }, { signal });
  const milliseconds = Math.max(1, Math.round(performance.now() - started));
  const none = "No word of this is in the vocabulary; try other words";
  const hits = `${found.hits.length} of ${found.documents.toLocaleString("en")} documents in ${milliseconds} ms`;
  $("status").textContent = found.known_words ? hits : none;
  current = -1;
  show($("hits"), ...found.hits.map(hitItem));
  map?.light(found.hits.map(({ row }) => row));
});

function hitItem(hit, place) {
  const columns = Object.entries(hit.columns).map(([name, value]) => make("span", {}, `${name}: ${value}`));
  const words = hit.words.map(({ word, share }) => `${word} ${signed(share)}`).join(", ");
  const neighbors = () => searchFor(hit.text);
  const item = make("li", {
    class: "hit", tabindex: "-1", onclick: neighbors, onfocus: () => mark(place), onmouseenter: () => light(place),
    onkeydown: (event) => event.key === "Enter" && neighbors(), "data-row": hit.row,
    "aria-label": `Similarity ${number(hit.similarity)}`,
  },
    make("h2", {}, make("b", {}, number(hit.similarity)), make("span", {}, `document ${hit.id}`), ...columns),
    make("p", {}, ...colored(hit.pieces, largestShare(hit.pieces)), hit.is_cut ? " …" : ""),
    make("p", { class: "found" }, words));
  return item;
}

function mark(place) {
  current = place;
  [...$("hits").children].forEach((item, i) => item.classList.toggle("current", i === place));
  light(place);
}

function light(place) {
  const rows = [...$("hits").children].map((item) => Number(item.dataset.row));
  map?.light(rows, rows[place] ?? -1);
}

function searchFor(text) {
  $("query").value = text.replace(/\s+/g, " ").slice(0, 1000);
  search($("query").value);
  scrollTo({ top: 0 });
}

// ---- map

async function read(row) {
  const found = await ask(`page/documents/${row}`);
  const find = make("button", { type: "button", onclick: () => searchFor(found.text) }, "Find its neighbors");
  const columns = Object.entries(found.columns).map(([name, value]) => ` · ${name}: ${value}`);
  show($("reading"), make("p", { class: "hint" }, `document ${found.id}`, ...columns), make("p", {}, broken(found.text)), find);
  $("reading").hidden = false;
  map.light(map.hits, row);
}

async function startMap() {
  map ??= new CorpusMap($("map"), (row) => read(row).catch(tellProblem));
  map.setPoints(new Float32Array(await ask("page/map", null, { binary: true })));
}

// ---- keyboard

document.addEventListener("keydown", (event) => {
  const isTyping = event.target.matches("input, textarea, select");
  if (event.key === "/" && !isTyping) {
    choose($("tab-search"), false);
    $("query").focus();
    event.preventDefault();
  }
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
    $("status").textContent = `${info.index.documents.toLocaleString("en")} documents`;
    await startMap();
    if (location.hash === "") $("query").focus();
  } else {
    $("tab-search").hidden = true;
    choose($("tab-words"), false);
  }
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
