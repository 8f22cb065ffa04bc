"use strict";
// Markdown as elements. Text only ever becomes a text node, and only web addresses become links.

function markdown(text) {
  const box = make("div", { className: "markdown" });
  const lines = text.split("\n");
  for (let at = 0; at < lines.length;) {
    const [, fence] = /^\s*(`{3,}|~{3,})/.exec(lines[at]) ?? [];
    const isTable = /^\s*\|/.test(lines[at]);
    const from = at;
    const ends = (line) =>
      fence
        ? line.trim().startsWith(fence)
        : isTable
          ? !/^\s*\|/.test(line)
          : line.trim() === "" || /^\s*(?:`{3,}|~{3,}|#{1,6}\s|[-*+]\s|\d+[.)]\s|\|)/.test(line);
    at++;
    if (lines[from].trim() === "") continue;
    while (at < lines.length && !ends(lines[at])) at++;
    if (fence) box.append(make("pre", { textContent: lines.slice(from + 1, at++).join("\n") }));
    else if (isTable) box.append(make("pre", { textContent: lines.slice(from, at).join("\n") }));
    else box.append(blockOf(lines.slice(from, at)));
  }
  return box;
}

function blockOf(lines) {
  const [, indent = "", mark, rest] = /^(\s*)(#{1,6}|[-*+]|\d+[.)])\s+(.*)$/.exec(lines[0]) ?? [];
  if (mark === undefined) return make("p", {}, ...inline(lines.join("\n")));
  const text = inline([rest, ...lines.slice(1)].join("\n"));
  if (mark.startsWith("#")) return make(`h${Math.min(6, mark.length + 1)}`, {}, ...text);
  const sign = /\d/.test(mark) ? mark : "•";
  const item = make(
    "p",
    { className: "item" },
    make("span", { textContent: sign }),
    make("span", {}, ...text),
  );
  item.style.marginLeft = `${indent.length / 2}em`;
  return item;
}

const inlinePattern =
  /(`+)(?<code>.+?)\1|\*\*(?<strong>[^*]+)\*\*|\[(?<name>[^\]]+)\]\((?<address>https?:[^\s)]+)\)/g;

/** Longer text is shown as it is: looking for pairs in it takes long. */
const mostChars = 5_000;

function inline(text) {
  if (text.length > mostChars) return [text];
  const parts = [];
  let end = 0;
  for (const { 0: all, index, groups } of text.matchAll(inlinePattern)) {
    parts.push(text.slice(end, index));
    end = index + all.length;
    const { code, strong, name, address } = groups;
    if (code !== undefined) parts.push(make("code", { textContent: code }));
    else if (strong !== undefined) parts.push(make("strong", {}, ...inline(strong)));
    else
      parts.push(
        make("a", { href: address, rel: "noreferrer", textContent: name }),
        ` (${address})`,
      );
  }
  return [...parts, text.slice(end)];
}
