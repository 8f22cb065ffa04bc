/** A session as a file to read or to share. */

import { existsSync, rmSync, writeFileSync } from "node:fs";
import { dirname, extname, resolve } from "node:path";
import type { Entry, EntryOf } from "../protocol/entry.ts";
import { attempt, errorCode } from "../base/guards.ts";
import { jsonToTerminal, toTerminal } from "../base/escape-terminal.ts";
import { findSubject, type Block } from "../protocol/block.ts";
import { explainError } from "./log-error.ts";

/** A path as text. */
export type Export = (path: readonly Entry[]) => string;

export const exportFormats: Readonly<Record<"markdown" | "jsonl", Export>> = {
  markdown: (path) => toTerminal(exportMarkdown(path)),
  jsonl: (path) => path.map((entry) => `${jsonToTerminal(JSON.stringify(entry))}\n`).join(""),
};

type ExportOptions = {
  path: readonly Entry[];
  /** Name of the file, relative to `cwd`. */
  name: string;
  cwd: string;
  /** Makes an HTML page. */
  html: Export;
};

/**
 * Writes a new file that only the user can read, in the format of its extension, and returns its
 * path. Throws with a sentence when there is such a file already or it cannot be written.
 */
export function exportSession({ path, name, cwd, html }: ExportOptions): string {
  const { markdown, jsonl } = exportFormats;
  const formats = { ".md": markdown, ".html": html, ".jsonl": jsonl };
  const extension = extname(name).toLowerCase();
  const format = Object.entries(formats).find(([end]) => end === extension)?.[1];
  if (!format) throw new Error(`${name} must end in .md, .html or .jsonl.`);
  if (path.length === 0) throw new Error("There is nothing to export yet.");
  const file = resolve(cwd, name);
  if (!existsSync(dirname(file))) throw new Error(`There is no folder ${dirname(file)}.`);
  const text = format(path);
  try {
    writeFileSync(file, text, { mode: 0o600, flag: "wx" });
  } catch (error) {
    if (errorCode(error) === "EEXIST") throw new Error(`${file} exists already.`);
    attempt(() => rmSync(file, { force: true }), undefined);
    throw new Error(`${file} cannot be written: ${explainError(error)}.`, { cause: error });
  }
  return file;
}

/** Exports a path as Markdown, entry by entry. Output is in code fences that it cannot close. */
function exportMarkdown(path: readonly Entry[]): string {
  const session = path.find((entry) => entry.type === "session");
  const title = path.findLast((entry) => entry.type === "note" && entry.kind === "title");
  const heading = title?.type === "note" ? title.text : `Session ${session?.session ?? ""}`;
  const about = {
    Folder: session?.cwd,
    Model: session?.model,
    Started: path[0]?.at,
    Ended: path.at(-1)?.at,
  };
  const lines = Object.entries(about).map(
    ([name, value = "unknown"]) => `- ${name}: ${inline(value)}`,
  );
  const sections = path.flatMap(toSections).map((section) => `\n${section}\n`);
  return `# ${inline(heading)}\n\n${lines.join("\n")}\n${sections.join("")}`;
}

/** An inner call has no section of its own, so its result names its subject. */
function describeOutcome(entry: EntryOf<"result" | "step">): string {
  const what = `${entry.isError ? "Error" : "Result"} of ${entry.tool}`;
  return entry.type === "step"
    ? `Step: ${what} ${findSubject(entry.input)?.text ?? ""}`.trim()
    : what;
}

function toSections(entry: Entry): string[] {
  switch (entry.type) {
    case "user":
      return [prose("You", joinText(entry.content))];
    case "context":
      return [output(`Context: ${entry.title}`, joinText(entry.content))];
    case "assistant":
      return entry.content.flatMap((block) => toBlockSections(block, entry.model));
    case "result":
    case "step": {
      const file = entry.file === undefined ? "" : `\n[Full output: ${entry.file}]`;
      return [
        output(
          `${describeOutcome(entry)} (${entry.bytes} bytes)`,
          `${joinText(entry.content)}${file}`,
        ),
      ];
    }
    case "cut":
      return [output(`Compaction: ${entry.tier}`, [entry.reason, ...covers(entry)].join("\n\n"))];
    case "restore":
      return [output(`Compaction ${entry.cut} ${entry.redo ? "redone" : "undone"}`, "")];
    case "model":
      return [output(`Model: ${entry.model}`, "")];
    case "note":
      return entry.kind === "title" ? [] : [output(`Note: ${entry.kind}`, entry.text)];
    case "unknown":
      return [output("An entry from a later version", "")];
    case "session":
    case "pin":
    case "rule":
    case "checkpoint":
    case "count":
    case "refresh":
    case "attempt":
    case "repair":
    case "head":
      return [];
  }
}

function toBlockSections(block: Block, model: string): string[] {
  switch (block.type) {
    case "text":
      return block.text.trim() === "" ? [] : [prose(model, block.text)];
    case "thinking":
      return block.thinking.trim() === "" ? [] : [output("Thinking", block.thinking)];
    case "tool_use":
      return [output(`Call ${block.name}`, JSON.stringify(block.input, null, 2))];
    default:
      return [];
  }
}

const covers = (entry: EntryOf<"cut">): string[] =>
  entry.changes.flatMap((change) =>
    change.kind === "cover" ? [change.text, change.kept ?? ""].filter((text) => text !== "") : [],
  );

const joinText = (blocks: readonly Block[]): string =>
  blocks
    .map((block) => {
      if (block.type === "image") return `[${block.source.media_type}]`;
      return block.type === "text" ? block.text : "";
    })
    .join("\n");

const prose = (heading: string, text: string): string => section(heading, escaped(text));

/** Shown as it is. */
const output = (heading: string, text: string): string =>
  section(heading, text === "" ? "" : fenced(text));

const section = (heading: string, body: string): string =>
  `## ${inline(heading)}${body === "" ? "" : `\n\n${body}`}`;

/** The fence is longer than every run of backticks in the text. */
function fenced(text: string): string {
  const runs = text.match(/`+/g) ?? [];
  const fence = "`".repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
  return `${fence}\n${text}\n${fence}`;
}

/** Escapes headings in a message, so they do not mix with our own. An open fence is closed. */
function escaped(text: string): string {
  let fence = "";
  const lines = text.split("\n").map((line) => {
    const [run = "", rest = ""] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line)?.slice(1) ?? [];
    if (fence === "") {
      if (run === "" || (run.startsWith("`") && rest.includes("`")))
        return line.replace(/^( {0,3})(#{1,6}(?:\s|$)|=+\s*$|-+\s*$)/, "$1\\$2");
      fence = run;
    } else if (run.startsWith(fence) && rest.trim() === "") fence = "";
    return line;
  });
  return [...lines, ...(fence === "" ? [] : [fence])].join("\n");
}

const inline = (text: string): string =>
  text
    .replace(/\s+/g, " ")
    .replace(/[\\`*_[\]<>#]/g, "\\$&")
    .trim();
