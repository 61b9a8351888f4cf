"use strict";
// The topics as a list. Texts are data: they reach the page as textContent only.

const $ = (id) => document.getElementById(id);
const count = (number) => number.toLocaleString("en");
const element = (kind, text, parent) => {
  const made = document.createElement(kind);
  if (text !== undefined) made.textContent = text;
  if (parent) parent.append(made);
  return made;
};

async function unpack(block) {
  const bytes = Uint8Array.from(atob(block.textContent.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

function bars(topic, periods, parent) {
  const box = element("div", undefined, parent), name = "http://www.w3.org/2000/svg";
  box.className = "time";
  const picture = document.createElementNS(name, "svg"), most = Math.max(1, ...topic.periods);
  picture.setAttribute("viewBox", `0 0 ${periods.length} 1`);
  picture.setAttribute("preserveAspectRatio", "none");
  topic.periods.forEach((size, place) => {
    const bar = document.createElementNS(name, "rect");
    const values = { x: place + 0.08, y: 1 - size / most, width: 0.84, height: size / most };
    for (const [key, value] of Object.entries(values)) bar.setAttribute(key, value);
    const title = document.createElementNS(name, "title");
    title.textContent = `${periods[place]}: ${count(size)}`;
    bar.append(title);
    picture.append(bar);
  });
  picture.setAttribute("role", "img");
  picture.setAttribute("aria-label", `Documents from ${periods[0]} to ${periods[periods.length - 1]}, at most ${count(most)}`);
  box.append(picture);
  const ends = element("div", undefined, box);
  for (const end of [periods[0], periods[periods.length - 1]]) element("span", end, ends);
}

function start(data) {
  $("title").textContent = data.title;
  const outside = data.outside ? `; ${count(data.outside)} belong to none` : "";
  $("summary").textContent = `${count(data.topics.length)} topics of ${count(data.documents)} documents${outside}`;
  const largest = Math.max(...data.topics.map((topic) => topic.size));
  for (const topic of data.topics) {
    const box = element("article", undefined, $("topics"));
    element("h2", topic.label, box);
    const share = (100 * topic.size / data.documents).toLocaleString("en", { maximumFractionDigits: 1 });
    element("div", `${count(topic.size)} documents, ${share} %`, box).className = "size";
    const track = element("div", undefined, box);
    track.className = "share";
    element("i", undefined, track).style.width = `${100 * topic.size / largest}%`;
    element("div", topic.words.join(" · "), box).className = "words";
    const details = element("details", undefined, box);
    details.open = data.topics.length <= 12;
    element("summary", "Typical documents", details);
    const list = element("ul", undefined, details);
    for (const one of topic.typical) {
      const row = element("li", one.text + " ", list);
      element("small", `row ${count(one.row)}`, row);
    }
    if (data.periods.length > 1) bars(topic, data.periods, box);
    box.dataset.text = [topic.label, ...topic.words, ...topic.typical.map((one) => one.text)].join("\n").toLowerCase();
  }
  $("search").oninput = () => {
    const words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const box of $("topics").children) box.hidden = !words.every((word) => box.dataset.text.includes(word));
  };
  document.onkeydown = (event) => {
    if (event.key === "/" && event.target !== $("search")) { $("search").focus(); event.preventDefault(); }
    if (event.key === "Escape") { $("search").value = ""; $("search").oninput(); }
  };
  document.documentElement.dataset.ready = "yes";
}

unpack($("data")).then(start, (error) => { $("title").textContent = `The topics cannot be shown: ${error.message}`; });
