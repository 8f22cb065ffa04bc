/**
 * A session as one HTML file: the conversation, and the context over time with every cut. It has no
 * script and requests nothing. All text is untrusted, so that none of it becomes a tag.
 */

import { clip, takeStart } from "../../base/clip.ts";
import { counted } from "../../base/format.ts";
import { findSubject, blockText, type Block, type ToolUseBlock } from "../../protocol/block.ts";
import type { Entry, EntryOf } from "../../protocol/entry.ts";
import { measure } from "../../context/meter/meter.ts";
import type { MeterReading, View } from "../../context/types.ts";
import { chooseBadge, describeCut, whyCut } from "../../context/describe-cut.ts";
import { findCut, keepsVerbatim } from "../../context/view/rows.ts";
import { Projection } from "../../context/view/view.ts";
import { findPrices, lookUpRules } from "../../model/catalog.ts";
import { callCost } from "../../protocol/model.ts";
import { defaultPolicy } from "../../protocol/policy.ts";
import style from "./style.css" with { type: "text" };

export function sessionPage(path: readonly Entry[]): string {
  const history = followSession(path);
  const rows = path.map((entry, row) => articles(entry, row, path, history));
  const start = [pageStart(findTitle(path)), showFacts(path, history), chart(path, history)];
  return `${start.join("")}<main>${rows.join("")}</main>\n</body>\n</html>\n`;
}

const pageStart = (title: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}</title>
<style>${style}</style>
</head>
<body>
<h1>${escape(title)}</h1>
`;

/** For an element or a quoted attribute. Control characters, and those that reverse text, become visible. */
const escape = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, "\u{fffd}")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");

/** The title that the session was given, or the beginning of its first message. */
function findTitle(path: readonly Entry[]): string {
  const named = path.findLast((entry) => entry.type === "note" && entry.kind === "title");
  if (named?.type === "note") return named.text;
  const first = path.find((entry) => entry.type === "user");
  const [line = ""] = first ? allText(first.content).trim().split("\n", 1) : [];
  return takeStart(line, 80) || "A session";
}

function showFacts(
  path: readonly Entry[],
  { calls, usd, isEstimate, cuts }: SessionHistory,
): string {
  const session = path.find((entry) => entry.type === "session");
  const showTime = (entry: Entry | undefined): string =>
    entry ? `${entry.at.slice(0, 16).replace("T", " ")} UTC` : "unknown";
  const facts = [
    ["Session", session?.session ?? "unknown"],
    ["Folder", session?.cwd ?? "unknown"],
    ["Model", session?.model ?? "unknown"],
    ["Started", showTime(path[0])],
    ["Ended", showTime(path.at(-1))],
    [
      "Calls",
      `${calls.length}, ${counted(cuts.size, "compaction")}${usd > 0 ? `, ${isEstimate ? "~" : ""}$${usd.toFixed(2)}` : ""}`,
    ],
  ];
  const rows = facts.map(([name = "", value = ""]) => `<dt>${name}</dt><dd>${escape(value)}</dd>`);
  return `<dl>${rows.join("")}</dl>\n`;
}

/** The tokens in the context at each call, with a mark for each cut that leads to it. */
function chart(path: readonly Entry[], { calls, cuts }: SessionHistory): string {
  if (calls.length === 0) return "";
  const sums = calls.map((parts) => parts.reduce((sum, tokens) => sum + tokens, 0));
  const most = Math.max(1, ...sums);
  const y = (tokens: number): string => (100 - (tokens / most) * 95).toFixed(2);
  let below = calls.map(() => 0);
  const areas = contextGroups.map(([name, color], group) => {
    const above = calls.map((parts, at) => (below[at] ?? 0) + (parts[group] ?? 0));
    const edge = (tokens: readonly number[]): string[] =>
      tokens.flatMap((count, at) => [`${at},${y(count)}`, `${at + 1},${y(count)}`]);
    const points = [...edge(above), ...edge(below).reverse()].join(" ");
    below = above;
    return `<polygon fill="${color}" points="${points}"><title>${name}</title></polygon>`;
  });
  const notches = [...cuts].map(([row, { call }]) => {
    const entry = path[row];
    const title = entry?.type === "cut" ? escape(sentence(entry)) : "";
    return `<a href="#r${row}"><line class="notch" x1="${call}" x2="${call}" y1="0" y2="14"><title>${title}</title></line></a>`;
  });
  const names = contextGroups.map(([name]) => name).join(", ");
  return `<svg viewBox="0 0 ${calls.length} 100" preserveAspectRatio="none" role="img">${areas.join("")}${notches.join("")}</svg>
<p class="took">Tokens in the context at each of ${calls.length} calls, at most ${showTokens(most)}. From the bottom: ${names}.</p>
`;
}

const showTokens = (tokens: number): string =>
  tokens < 1_000
    ? String(tokens)
    : tokens < 1e6
      ? `${(tokens / 1_000).toFixed(tokens < 9_950 ? 1 : 0)}k`
      : `${(tokens / 1e6).toFixed(2)}M`;

const sentence = (cut: EntryOf<"cut">): string =>
  `${describeCut(cut)} · ${showTokens(cut.price.usedBefore)} → ~${showTokens(cut.price.usedAfter)} tokens${cut.price.usd > 0 ? `, $${cut.price.usd.toFixed(2)}` : ""} · ${whyCut(cut)}`;

/** One for each block of the entry that has something to show. */
function articles(
  entry: Entry,
  row: number,
  path: readonly Entry[],
  { hidden, cuts }: SessionHistory,
): string {
  const gone = hidden.get(row);
  const badge = gone
    ? `<a class="badge" href="#r${gone.by}" title="${escape(gone.text)}">${gone.how}</a>`
    : "";
  const took = (cuts.get(row)?.took ?? []).map((at) => {
    const heading = clip(showEntry(path[at])[0]?.heading ?? `entry ${at + 1}`, 60);
    return `<a href="#r${at}">${escape(heading)}</a>`;
  });
  const blocks = showEntry(entry);
  return blocks
    .map(({ kind, heading, html }, at) => {
      const id = at === 0 ? ` id="r${row}"` : "";
      const inner =
        kind === "user" || kind === "answer"
          ? `<span class="heading">${escape(heading)}</span>${html}`
          : html === ""
            ? `<span class="heading">${escape(heading)}</span>`
            : `<details><summary>${escape(heading)}</summary>${html}</details>`;
      const list =
        took.length > 0 ? `<p class="took">Took out of view: ${took.join(", ")}</p>` : "";
      return `<article${id} class="${kind}${gone ? " gone" : ""}">${badge}${inner}${list}</article>\n`;
    })
    .join("");
}

/** A part of an entry. `html` is escaped; empty: there is only a heading. */
type PageSection = { kind: string; heading: string; html: string };

function showEntry(entry: Entry | undefined): PageSection[] {
  switch (entry?.type) {
    case "user":
      return [{ kind: "user", heading: "You", html: `<p>${escape(allText(entry.content))}</p>` }];
    case "context":
      return [{ kind: "info", heading: entry.title, html: preformatted(allText(entry.content)) }];
    case "assistant":
      return entry.content.flatMap((block) => showBlock(block, entry.model));
    case "result":
      return [showResult(entry)];
    case "step":
      return [
        showCall({ type: "tool_use", id: "", name: entry.tool, input: entry.input }),
        showResult(entry),
      ];
    case "cut": {
      const covers = entry.changes.flatMap((change) =>
        change.kind === "cover" ? [change.text] : [],
      );
      return [{ kind: "cut", heading: sentence(entry), html: preformatted(covers.join("\n\n")) }];
    }
    case "restore":
      return [
        { kind: "info", heading: `A compaction was ${entry.redo ? "redone" : "undone"}`, html: "" },
      ];
    case "model":
      return [{ kind: "info", heading: `Model: ${entry.model}`, html: "" }];
    case "note":
      return entry.kind === "title"
        ? []
        : [{ kind: "info", heading: entry.kind, html: preformatted(entry.text) }];
    default:
      return [];
  }
}

const preformatted = (text: string): string =>
  text.trim() === "" ? "" : `<pre>${escape(text)}</pre>`;

function showBlock(block: Block, model: string): PageSection[] {
  switch (block.type) {
    case "tool_use":
      return [showCall(block)];
    case "text":
      return block.text.trim() === ""
        ? []
        : [{ kind: "answer", heading: model, html: renderMarkdown(block.text) }];
    case "thinking": {
      const html = preformatted(block.thinking);
      return html === "" ? [] : [{ kind: "thinking", heading: "Thinking", html }];
    }
    default:
      return [];
  }
}

function showCall({ name, input }: ToolUseBlock): PageSection {
  const heading = `${name} ${findSubject(input)?.text.split("\n", 1)[0] ?? ""}`.trimEnd();
  const { old_string: before, new_string: after } = input;
  if (typeof before !== "string" || typeof after !== "string")
    return { kind: "call", heading, html: preformatted(JSON.stringify(input, null, 2)) };
  const mark = (text: string, sign: string, style: string): string =>
    `<span class="${style}">${escape(text.replace(/^/gm, sign))}</span>`;
  const html = `<pre>${mark(before, "- ", "removed")}\n${mark(after, "+ ", "added")}</pre>`;
  return { kind: "call", heading, html };
}

function showResult(entry: EntryOf<"result" | "step">): PageSection {
  const words = allText(entry.content);
  const text = entry.file === undefined ? words : `${words}\n[Full output: ${entry.file}]`;
  const heading = `${entry.isError ? "Error" : "Result"} of ${entry.tool}, ${counted(entry.lines, "line")}`;
  return { kind: entry.isError ? "result error" : "result", heading, html: preformatted(text) };
}

const allText = (blocks: readonly Block[]): string =>
  [
    blockText(blocks),
    ...blocks.flatMap((block) => (block.type === "image" ? [`[${block.source.media_type}]`] : [])),
  ]
    .filter((text) => text !== "")
    .join("\n");

const wrap = (tag: string) => (children: string) => `<${tag}>${children}</${tag}>`;

/** Longer text is shown as it is. */
const maxMarkdownChars = 200_000;

/** Every text passes through `text` and is escaped there; only web addresses become links. */
function renderMarkdown(markdown: string): string {
  if (markdown.length > maxMarkdownChars) return preformatted(markdown);
  return Bun.markdown.render(markdown, {
    text: escape,
    html: wrap("p"),
    heading: (children, { level }) => wrap(`h${Math.min(6, level + 1)}`)(children),
    paragraph: wrap("p"),
    blockquote: wrap("blockquote"),
    code: wrap("pre"),
    list: (children, { ordered }) => wrap(ordered ? "ol" : "ul")(children),
    listItem: wrap("li"),
    hr: () => "<hr>",
    table: wrap("table"),
    tr: wrap("tr"),
    th: wrap("th"),
    td: wrap("td"),
    strong: wrap("strong"),
    emphasis: wrap("em"),
    codespan: wrap("code"),
    strikethrough: wrap("s"),
    link: (children, { href }) =>
      /^https?:/.test(href)
        ? `<a href="${escape(href)}" rel="noreferrer">${children}</a> (${escape(href)})`
        : children,
    image: (children) => `[image: ${children}]`,
  });
}

/** Groups of the context, from the bottom of the chart to its top. */
const contextGroups = [
  ["system and tools", "#8b93a7"],
  ["you", "#4a8fd0"],
  ["answers", "#2a9d8f"],
  ["results", "#c98a1b"],
  ["summary", "#9b59b6"],
] as const;

/** A row that is not sent whole in the end: the row of the cut that took it, and what replaces it. */
type HiddenRow = { by: number; how: string; text: string };

/** How the context of a session grew and was cut. Rows are positions of entries on the path. */
type SessionHistory = {
  /** By call of the model, the tokens of each of `contextGroups`. */
  calls: number[][];
  /** US dollars, of all calls whose price is known. */
  usd: number;
  /** Some of its prices are estimates. */
  isEstimate: boolean;
  /** By row of the cut: the calls before it, and the rows that it took out of view. */
  cuts: ReadonlyMap<number, { call: number; took: number[] }>;
  hidden: ReadonlyMap<number, HiddenRow>;
};

/** Follows a session entry by entry. */
function followSession(path: readonly Entry[]): SessionHistory {
  const projection = new Projection();
  const calls: number[][] = [];
  const cuts = new Map<number, { call: number; took: number[] }>();
  const hidden = new Map<number, HiddenRow>();
  let usd = 0;
  let isEstimate = false;
  for (const [at, entry] of path.entries()) {
    if (entry.type === "assistant" && entry.stop !== "failed") {
      const rules = lookUpRules(entry.model);
      calls.push(groupTokens(measure(projection.view, rules, defaultPolicy, Date.parse(entry.at))));
      const prices = findPrices(entry.model);
      if (prices) usd += callCost(entry.usage, prices);
      isEstimate ||= prices?.areEstimates ?? false;
    }
    projection.push(entry);
    if (entry.type !== "cut" && entry.type !== "restore") continue;
    const took = updateHidden(projection.view, hidden, at);
    if (entry.type === "cut") cuts.set(at, { call: calls.length, took });
  }
  return { calls, usd, isEstimate, cuts, hidden };
}

/** Returns the rows that are no longer sent as they were before the cut in row `by`. */
function updateHidden(view: View, hidden: Map<number, HiddenRow>, by: number): number[] {
  const changed: number[] = [];
  for (const [at, row] of view.rows.entries()) {
    const { shown, text = "", entry } = row;
    if (shown === "unsent") continue;
    const cut = findCut(view, row);
    const isGone = shown === "replaced" || (shown === "covered" && !keepsVerbatim(cut, entry));
    const how = isGone && cut ? chooseBadge(cut, entry.id) : null;
    const before = hidden.get(at);
    if (how === null) hidden.delete(at);
    else if (before?.how !== how || before.text !== text) {
      hidden.set(at, { by, how, text });
      changed.push(at);
    }
  }
  return changed;
}

const groupTokens = ({ breakdown: by }: MeterReading): number[] => [
  Math.round(by.system + by.tools + by.instructions),
  Math.round(by.user),
  Math.round(by.assistant + by.thinking + by.toolInputs),
  Math.round(by.toolResults),
  Math.round(by.summary),
];
