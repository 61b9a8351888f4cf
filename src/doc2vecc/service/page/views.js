// What all views share: elements made without HTML, requests, texts with colored words.

const KEY = "doc2vecc-key";

export const $ = (id) => document.getElementById(id);

// Make an element; children are elements or strings, and a string is never read as HTML.
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

export function show(parent, ...children) {
  parent.replaceChildren(...children);
}

export function useKey(key) {
  sessionStorage.setItem(KEY, key);
}

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

// Send a request -> what it answers; `signal` ends one whose answer is no longer wanted.
export async function ask(path, fields, { signal, binary = false, method } = {}) {
  const headers = {};
  const key = sessionStorage.getItem(KEY);
  if (key) headers.Authorization = `Bearer ${key}`;
  const options = { headers, signal, method: method ?? (fields ? "POST" : "GET") };
  if (fields) {
    headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(fields);
  }
  const answer = await fetch(path, options);
  if (answer.ok) return binary ? answer.arrayBuffer() : answer.json();
  const content = await answer.json().catch(() => null);
  if (answer.status === 401) throw new Refused(401, askForKey(Boolean(key)));
  throw new Refused(answer.status, content?.error?.message ?? `the service answered with ${answer.status}`);
}

// Show the field for the key -> what to do; the message of the service is for programs.
function askForKey(wasGiven) {
  $("key-form").hidden = false;
  $("key").focus();
  return wasGiven ? "The service does not accept this key; enter another one" : "Enter the key of this service";
}

// Call `run` a moment after the last change, and drop the answers to what was typed before.
export function asTyped(run, milliseconds = 60) {
  let timer = null;
  let controller = null;
  return (...values) => {
    clearTimeout(timer);
    controller?.abort();
    timer = setTimeout(async () => {
      controller = new AbortController();
      try {
        await run(controller.signal, ...values);
      } catch (error) {
        if (error.name !== "AbortError") tellProblem(error);
      }
    }, milliseconds);
  };
}

export function tellProblem(error) {
  const place = $("problem");
  place.hidden = !error;
  place.textContent = error ? error.message : "";
}

export const number = (value, digits = 3) => value.toFixed(digits).replace("-", "−");
export const signed = (value) => (value < 0 ? "" : "+") + number(value);

// HTML line breaks separate words in our texts, and are shown as what they mean.
export const broken = (text) => text.replace(/<br\s*\/?>/gi, "\n");

// A text with its words colored by their share; `largest` has the full color.
export function colored(pieces, largest) {
  return pieces.map(({ text, share }) => {
    if (share === null) {
      const shown = broken(text);
      return /[^\s]/.test(shown) ? make("span", { class: "unknown" }, shown) : shown;
    }
    const word = make("mark", { class: share < 0 ? "takes" : "adds", title: signed(share) }, text);
    const strength = largest ? Math.abs(share) / largest : 0;
    if (strength > 0.06) word.style.background = `rgba(var(--${share < 0 ? "takes" : "adds"}), ${(0.08 + 0.6 * strength).toFixed(2)})`;
    else word.className = "";
    return word;
  });
}

export const largestShare = (pieces) => Math.max(0, ...pieces.map(({ share }) => Math.abs(share ?? 0)));

// ---- hits

export function bar(share) {
  const inside = make("i");
  inside.style.width = `${100 * Math.min(1, Math.max(0, share))}%`;
  return make("span", { class: "meter", "aria-hidden": "true" }, inside);
}

// The columns of a document that have a value; where it is, the map shows.
const isFilled = ([name, value]) => name !== "x" && name !== "y" && value !== null && String(value).trim() !== "";
const filled = (one) => Object.entries(one.columns).filter(isFilled);
const titleOf = (one) => filled(one).find(([name]) => name === "title") ?? filled(one)[0];
export const heading = (one) => [titleOf(one)].filter(Boolean).map(([, value]) => make("strong", {}, String(value)));
export const columns = (one) => filled(one).filter(([name]) => name !== titleOf(one)[0]).map(([name, value]) => make("span", {}, `${name}: ${value}`));

// ---- words

export function startWords(model) {
  const input = $("word");
  const update = asTyped(async (signal, value) => {
    if (!value.trim()) {
      $("words-status").textContent = "";
      return show($("neighbors"));
    }
    try {
      const found = await ask("v1/words", { words: value, k: 20, model: model() }, { signal });
      $("words-status").textContent = `Nearest words of ${value.trim()}`;
      show($("neighbors"), ...found.words.map((one) => neighbor(one, input, update)));
    } catch (error) {
      if (error.status !== 404 && error.status !== 422) throw error;
      $("words-status").textContent = error.message;
      show($("neighbors"));
    }
  }, 150);
  input.addEventListener("input", () => update(input.value));
  $("words-form").addEventListener("submit", (event) => event.preventDefault());
  return () => update(input.value);
}

// Words to begin with, as buttons.
export function showExamples(words) {
  const input = $("word");
  const go = (word) => {
    input.value = word;
    input.dispatchEvent(new Event("input"));
  };
  show($("word-examples"), ...[...new Set(words)].slice(0, 14).map((word) => make("button", { type: "button", onclick: () => go(word) }, word)));
}

function neighbor({ word, similarity, count }, input, update) {
  const bar = make("i");
  bar.style.width = `${Math.max(0, similarity) * 100}%`;
  const go = () => {
    input.value = word;
    update(word);
  };
  return make("li", {},
    make("span", { class: "number" }, number(similarity)),
    make("button", { type: "button", onclick: go, "aria-label": `Neighbors of ${word}` }, word),
    make("span", { class: "bar", "aria-hidden": "true" }, bar),
    make("span", { class: "count" }, `${count.toLocaleString("en")} ×`));
}

// ---- two texts

export function startCompare(model) {
  const update = asTyped(async (signal) => {
    const [first, second] = [$("first").value, $("second").value];
    if (!first.trim() || !second.trim()) {
      $("result").hidden = true;
      return;
    }
    const found = await ask("v1/explain", { first, second, model: model() }, { signal });
    const largest = Math.max(largestShare(found.first_pieces), largestShare(found.second_pieces));
    $("result").hidden = false;
    $("similarity").textContent = `Similarity ${number(found.similarity)}`;
    $("similarity-bar").style.width = `${100 * Math.max(0, found.similarity)}%`;
    show($("first-shares"), ...colored(found.first_pieces, largest));
    show($("second-shares"), ...colored(found.second_pieces, largest));
  }, 120);
  for (const id of ["first", "second"]) $(id).addEventListener("input", () => update());
  $("compare-form").addEventListener("submit", (event) => event.preventDefault());
  return update;
}

// ---- the card: the few marks of Markdown that it uses

export async function showCard(name) {
  const { card } = await ask(`v1/models/${encodeURIComponent(name)}/card`);
  // Code, which may hold empty lines, or what stands between two of them.
  const blocks = card.replace(/^---\n[\s\S]*?\n---\n/, "").match(/```[\s\S]*?```|[^\n](?:(?!\n\n)[\s\S])*/g);
  show($("card"), ...blocks.map(cardBlock));
}

function cardBlock(block) {
  const lines = block.split("\n");
  if (block.startsWith("# ")) return make("h2", {}, block.slice(2));
  if (block.startsWith("```")) return make("pre", {}, lines.slice(1, -1).join("\n"));
  if (block.startsWith("|")) {
    const rows = lines.filter((line) => !line.startsWith("|---")).map((line) => line.slice(1, -1).split(" | "));
    const cells = (row, tag) => row.map((cell) => make(tag, {}, cell.trim()));
    return make("table", {}, ...rows.map((row, i) => make("tr", {}, ...cells(row, i ? "td" : "th"))));
  }
  return make("p", {}, block);
}
