// The description of the interface as a page, with a form to try each endpoint.

import { $, ask, make, show, tellProblem, useKey } from "./views.js";

const EXAMPLES = {
  input: ["a first text", "a second text"], inputs: ["a first text"], prompt: "a text", first: "a text",
  second: "another text", words: "good", query: "a text", documents: [{ id: "new-1", text: "a new text" }], ids: ["new-1"],
};

function typeOf(schema) {
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(" or ");
  if (schema.type === "array") return `list of ${typeOf(schema.items)}`;
  return [schema.type ?? "anything"].flat().filter((one) => one !== "null").join(" or ");
}

function fieldsTable(schema) {
  const rows = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const isNeeded = schema.required?.includes(name);
    const cells = [make("code", {}, name), typeOf(field) + (isNeeded ? "" : ", optional"), field.description ?? ""];
    return make("tr", {}, ...cells.map((cell) => make("td", {}, cell)));
  });
  return rows.length ? make("table", {}, ...rows) : make("p", {}, typeOf(schema));
}

function trial(method, path, schema) {
  const fields = Object.fromEntries((schema?.required ?? []).map((name) => [name, EXAMPLES[name] ?? ""]));
  const body = make("textarea", { rows: 3, "aria-label": `Body of ${method} ${path}` });
  body.value = JSON.stringify(fields);
  const result = make("pre", { hidden: "", "aria-live": "polite" });
  const send = async () => {
    result.hidden = false;
    try {
      const found = await ask(path.slice(1), schema ? JSON.parse(body.value) : null, { method });
      result.textContent = JSON.stringify(found, null, 1).slice(0, 4000);
    } catch (error) {
      result.textContent = error.message;
    }
  };
  return [...(schema ? [body] : []), make("button", { type: "button", onclick: send }, "Send"), result];
}

function endpoint(method, path, operation) {
  const schema = operation.requestBody?.content["application/json"].schema;
  const isData = Boolean(operation.responses["200"].content["application/json"]);
  const answer = operation.responses["200"].content["application/json"]?.schema;
  const command = `curl ${location.origin}${path}` + (schema ? ` -X ${method} -H 'Content-Type: application/json' -d '…'` : "");
  const errors = Object.entries(operation.responses).filter(([status]) => status !== "200");
  return make("details", {},
    make("summary", {}, make("b", {}, method), make("code", {}, path), make("span", { class: "what" }, operation.summary)),
    make("pre", {}, command),
    ...(schema ? [make("h3", {}, "Request"), fieldsTable(schema)] : []),
    ...(answer ? [make("h3", {}, "Answer"), fieldsTable(answer)] : []),
    make("h3", {}, "Errors"),
    make("table", {}, ...errors.map(([status, one]) => make("tr", {}, make("td", {}, status), make("td", {}, one.description)))),
    ...(isData && !path.includes("{") ? [make("h3", {}, "Try it"), ...trial(method, path, schema)] : []));
}

async function start() {
  const description = await ask("openapi.json");
  const groups = new Map();
  for (const [path, methods] of Object.entries(description.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const group = operation.tags[0];
      if (!groups.has(group)) groups.set(group, []);
      groups.get(group).push(endpoint(method.toUpperCase(), path, operation));
    }
  }
  show($("endpoints"), ...[...groups].flatMap(([name, parts]) => [make("h2", {}, name), ...parts]));
}

$("key-form").addEventListener("submit", (event) => {
  event.preventDefault();
  useKey($("key").value);
  $("key-form").hidden = true;
});
start().catch(tellProblem);
