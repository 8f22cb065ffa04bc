"use strict";
// Draws the session whose data is in the page. Text from the session only ever becomes a text node.

const data = JSON.parse(document.getElementById("session").textContent);
const { items, calls, cuts } = data;
const states = new Map(data.states);
const groups = ["system", "user", "answers", "results", "summary"];
const groupNames = ["system and tools", "you", "answers", "results", "summary"];

function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  Object.assign(element, properties);
  element.append(...children);
  return element;
}

const short = (tokens) =>
  tokens < 1000
    ? String(tokens)
    : tokens < 1e6
      ? `${Math.round(tokens / 1000)}k`
      : `${(tokens / 1e6).toFixed(2)}M`;

// The conversation

function bodyOf({ text, isDiff }) {
  const pre = make("pre");
  if (!isDiff) {
    pre.textContent = text;
    return pre;
  }
  for (const line of text.split("\n")) {
    const className = line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "";
    pre.append(make("span", { className, textContent: `${line}\n` }));
  }
  return pre;
}

function articleOf(item) {
  const article = make("article", { className: `item-${item.kind}` });
  article.append(make("span", { className: "badge" }));
  if (item.isError) article.classList.add("error");
  if (item.kind === "user" || item.kind === "answer") {
    article.append(make("span", { className: "heading", textContent: item.heading }));
    article.append(
      item.kind === "answer" ? markdown(item.text) : make("p", { textContent: item.text }),
    );
  } else if (item.text === "") {
    article.append(make("span", { className: "heading", textContent: item.heading }));
  } else {
    const details = make("details", {}, make("summary", { textContent: item.heading }));
    // Most are never opened, and there may be thousands.
    details.addEventListener("toggle", () => details.append(bodyOf(item)), { once: true });
    article.append(details);
  }
  return article;
}

// The context over time

const svgElement = (tag, attributes) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
};

const sumOf = (parts) => parts.reduce((sum, one) => sum + one, 0);
const most = Math.max(1, ...calls.map(({ parts }) => sumOf(parts)));

function chart() {
  const svg = svgElement("svg", {
    viewBox: `0 0 ${Math.max(1, calls.length)} 100`,
    preserveAspectRatio: "none",
    role: "img",
    "aria-label": `Tokens in the context at each of ${calls.length} calls, at most ${most}`,
  });
  let below = calls.map(() => 0);
  groups.forEach((name, group) => {
    const above = calls.map(({ parts }, at) => below[at] + parts[group]);
    const y = (tokens) => 100 - (tokens / most) * 95;
    const top = above.flatMap((tokens, at) => [`${at},${y(tokens)}`, `${at + 1},${y(tokens)}`]);
    const bottom = below.flatMap((tokens, at) => [`${at},${y(tokens)}`, `${at + 1},${y(tokens)}`]);
    const points = [...top, ...bottom.reverse()].join(" ");
    svg.append(svgElement("polygon", { class: name, points }));
    below = above;
  });
  for (const cut of cuts) {
    const notch = svgElement("line", { class: "notch", x1: cut.call, x2: cut.call, y1: 0, y2: 12 });
    const title = svgElement("title", {});
    title.textContent = `${cut.tier}: ${cut.reason}`;
    notch.append(title);
    svg.append(notch);
  }
  return svg;
}

// What the model saw

function stateAt(row, call) {
  let found = null;
  for (const state of states.get(row) ?? []) if (state.call <= call) found = state;
  return found;
}

const list = make("main");
const articles = items.map(articleOf);
const touched = items.flatMap(({ row }, at) => (states.has(row) ? [at] : []));
const words = make("div", { id: "words" });
const cutList = make("ul", { id: "cuts" });
const slider = make("input", { type: "range", min: 0, max: calls.length, value: calls.length });
slider.setAttribute("aria-label", "Model call");
const marker = svgElement("line", { class: "now", y1: 0, y2: 100 });
let shownTo = items.length;
let taken = [];

function show(call) {
  const isEnd = call >= calls.length;
  const row = isEnd ? Infinity : calls[call].row;
  const first = items.findIndex((item) => item.row >= row);
  const to = first === -1 ? items.length : first;
  for (let at = Math.min(to, shownTo); at < Math.max(to, shownTo); at++)
    articles[at].classList.toggle("later", at >= to);
  shownTo = to;
  for (const at of touched) {
    const state = at < to ? stateAt(items[at].row, call) : null;
    const shown = state?.shown ?? "whole";
    articles[at].classList.toggle("replaced", shown === "replaced");
    articles[at].classList.toggle("covered", shown === "covered");
    const badge = articles[at].firstChild;
    badge.textContent = shown === "whole" ? "" : shown === "replaced" ? "shortened" : "summarized";
    badge.title = state?.text ?? "";
  }
  mark([]);
  const tokens = isEnd ? null : sumOf(calls[call].parts);
  words.textContent = isEnd
    ? `Now, after ${calls.length} ${calls.length === 1 ? "call" : "calls"}`
    : `What the model saw at call ${call + 1} of ${calls.length}: about ${short(tokens)} of ${short(data.windowTokens)} tokens, $${calls[call].usd.toFixed(4)}`;
  cutList.replaceChildren(...cuts.filter((cut) => cut.call === call).map(cutLine));
  marker.setAttribute("x1", call);
  marker.setAttribute("x2", call);
}

function cutLine(cut) {
  const freed = `${short(cut.before)} → ${short(cut.after)}`;
  const button = make("button", { textContent: `${cut.tier}, ${freed}: ${cut.reason}` });
  button.addEventListener("click", () => {
    mark(cut.took);
    const [top] = taken;
    top?.scrollIntoView({ block: "center" });
  });
  return make("li", {}, button);
}

/** Outlines the items of some rows: those that a cut removed. */
function mark(rows) {
  for (const article of taken) article.classList.remove("taken");
  const wanted = new Set(rows);
  taken = articles.filter((_, at) => wanted.has(items[at].row));
  for (const article of taken) article.classList.add("taken");
}

// The page

const about = make("dl");
for (const [name, value] of data.about)
  about.append(make("dt", { textContent: name }), make("dd", { textContent: value }));
const legend = make("div", { className: "legend" });
groups.forEach((name, group) =>
  legend.append(make("span", {}, make("i", { className: name }), groupNames[group])),
);
const svg = chart();
svg.append(marker);
svg.addEventListener("pointerdown", ({ clientX }) => {
  const { left, width } = svg.getBoundingClientRect();
  slider.value = String(Math.round(((clientX - left) / width) * calls.length));
  show(Number(slider.value));
});
slider.addEventListener("input", () => show(Number(slider.value)));
const lens = make("section", { id: "lens" });
if (calls.length > 0) lens.append(svg, slider, words, legend, cutList);
list.append(...articles);
document.body.append(make("h1", { textContent: data.title }), about, lens, list);
// page.html#call-12 opens at a call.
const wanted = /^#call-(\d+)$/.exec(location.hash);
slider.value = String(wanted ? Number(wanted[1]) - 1 : calls.length);
show(Number(slider.value));
