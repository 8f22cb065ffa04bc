/** A session as a file to read or to share. */

import { existsSync } from "node:fs";
import { dirname, extname, resolve } from "node:path";
import { writeNewFile } from "./new-file.ts";
import type { Entry, EntryOf } from "../../protocol/entry.ts";
import { errorMessage } from "../../base/format.ts";
import type { Progress } from "../../base/long-work.ts";
import { jsonToTerminal, toTerminal } from "../../base/escape-terminal.ts";
import {
  findSubject,
  type Block,
  type ResultBlock,
  type ToolUseBlock,
} from "../../protocol/block.ts";

/** A path as text, in a piece for each entry and some around them. */
export type Export = (path: readonly Entry[]) => Iterable<string>;

export const exportFormats: Readonly<Record<"markdown" | "jsonl", Export>> = {
  markdown: (path) => exportMarkdown(path).map(toTerminal),
  jsonl: (path) => exportJsonl(path).map(jsonToTerminal),
};

const textFormats: Readonly<Record<string, Export>> = {
  ".md": exportFormats.markdown,
  ".markdown": exportFormats.markdown,
  ".jsonl": exportFormats.jsonl,
};

type ExportOptions = {
  path: readonly Entry[];
  /** Name of the file, relative to `cwd`. */
  name: string;
  cwd: string;
  /** Makes an HTML page. */
  html: Export;
  progress: Progress;
};

/**
 * Writes a new file that only the user can read, in the format of its extension, and returns its
 * path. Throws with a sentence when there is such a file already or it cannot be written.
 */
export async function exportSession(options: ExportOptions): Promise<string> {
  const { path, name, cwd, html, progress } = options;
  const extension = extname(name).toLowerCase();
  const format = /^\.html?$/.test(extension) ? html : textFormats[extension];
  if (!format) throw new Error(`${name} must end in .md, .html or .jsonl.`);
  if (path.length === 0) throw new Error("There is nothing to export yet.");
  const file = resolve(cwd, name);
  const folder = dirname(file);
  if (!existsSync(folder)) throw new Error(`There is no folder ${folder}.`);
  let isNew: boolean;
  try {
    isNew = await writeNewFile(file, (handle) =>
      // Entries appended during the export are not part of it.
      writePieces(format([...path]), path.length, (text) => handle.appendFile(text), progress),
    );
  } catch (error) {
    throw new Error(`${file} cannot be written: ${errorMessage(error)}.`, { cause: error });
  }
  if (!isNew) throw new Error(`${file} exists already.`);
  return file;
}

/** Milliseconds of work between writes, during which other tasks can run. */
const sliceMs = 10;

/** Writes pieces of text, a few milliseconds' worth at a time. `count`: about how many there are. */
export async function writePieces(
  pieces: Iterable<string>,
  count: number,
  write: (text: string) => Promise<void> | void,
  progress: Progress = () => {},
): Promise<void> {
  let text = "";
  let done = 0;
  let began = performance.now();
  for (const piece of pieces) {
    text += piece;
    done++;
    if (performance.now() - began < sliceMs) continue;
    await write(text);
    progress(Math.min(done, count), count, "");
    await new Promise((resume) => setImmediate(resume));
    text = "";
    began = performance.now();
  }
  await write(text);
}

/** Exports a path as Markdown, entry by entry. Output is in code fences that it cannot close. */
export function* exportMarkdown(path: readonly Entry[]): Generator<string, void> {
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
  yield `# ${inline(heading)}\n\n${lines.join("\n")}\n`;
  for (const entry of path)
    yield toSections(entry)
      .map((section) => `\n${section}\n`)
      .join("");
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

/**
 * Escapes headings and HTML in a message, so they do not mix with those of the export. Code is
 * unchanged, and an open fence is closed.
 */
function escaped(text: string): string {
  let fence = "";
  const lines = text.split("\n").map((line) => {
    const mark = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
    const [run = "", rest = ""] = mark?.slice(1) ?? [];
    if (fence === "") {
      if (run === "" || (run.startsWith("`") && rest.includes("`"))) return escapedLine(line);
      fence = run;
    } else if (run.startsWith(fence) && rest.trim() === "") fence = "";
    return line;
  });
  return fence === "" ? lines.join("\n") : [...lines, fence].join("\n");
}

const codeSpan = /((`+)(?!`)[^\n]*?(?<!`)\2(?!`))/;

const escapedLine = (line: string): string =>
  line
    .replace(/^( {0,3})(#{1,6}(?:\s|$)|=+\s*$|-+\s*$)/, "$1\\$2")
    .split(codeSpan)
    // The pattern has two groups, so every third piece is text between code spans.
    .map((piece, at) => (at % 3 === 0 ? piece.replace(/<(?=[A-Za-z/!?])/g, "&lt;") : piece))
    .filter((_, at) => at % 3 !== 2)
    .join("");

const inline = (text: string): string =>
  text
    .replace(/\s+/g, " ")
    .replace(/[\\`*_[\]<>#]/g, "\\$&")
    .trim();

type ExportedMessage = { role: "user" | "assistant"; content: Block[] };

/**
 * Messages of the Anthropic Messages API, from entries in their order, including everything compacted
 * since. Unanswered calls get an error result, because the API requires one.
 */
class ExportBuilder {
  #complete: ExportedMessage[] = [];
  #last: ExportedMessage | null = null;
  /** Calls of the latest answer that have no result yet. */
  #open: ToolUseBlock[] = [];

  /** Takes the next entry, and returns the messages that are complete now. */
  take(entry: Entry): ExportedMessage[] {
    if (entry.type === "assistant") {
      this.#answerOpen();
      this.#add("assistant", entry.content);
      this.#open = entry.content.filter((block) => block.type === "tool_use");
    } else if (entry.type === "result") {
      if (!this.#open.some(({ id }) => id === entry.toolUse)) return [];
      this.#open = this.#open.filter(({ id }) => id !== entry.toolUse);
      this.#answer(entry.toolUse, entry.content, entry.isError);
    } else if (entry.type === "user" || entry.type === "context") {
      this.#answerOpen();
      this.#add("user", entry.content);
    }
    return this.#complete.splice(0);
  }

  /** Returns the rest. */
  end(): ExportedMessage[] {
    this.#answerOpen();
    return [...this.#complete, ...(this.#last ? [this.#last] : [])];
  }

  #add(role: ExportedMessage["role"], content: readonly Block[]): void {
    if (content.length === 0) return;
    if (this.#last?.role === role) return void this.#last.content.push(...content);
    if (this.#last) this.#complete.push(this.#last);
    this.#last = { role, content: [...content] };
  }

  #answer(id: string, content: ResultBlock[], isError = false): void {
    const error: { is_error?: true } = isError ? { is_error: true } : {};
    this.#add("user", [{ type: "tool_result", tool_use_id: id, content, ...error }]);
  }

  #answerOpen(): void {
    for (const { id } of this.#open)
      this.#answer(id, [{ type: "text", text: "[The log has no result.]" }], true);
    this.#open = [];
  }
}

/** The messages of a path, one per line, entry by entry. */
export function* exportJsonl(path: readonly Entry[]): Generator<string, void> {
  const builder = new ExportBuilder();
  for (const entry of path) yield toLines(builder.take(entry));
  yield toLines(builder.end());
}

const toLines = (messages: readonly ExportedMessage[]): string =>
  messages.map((message) => `${JSON.stringify(message)}\n`).join("");
