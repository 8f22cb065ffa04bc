/** Which files each tool result read or wrote, and when a file was last used. */

import { findFilePath, type ToolInput } from "../../protocol/block.ts";
import type { Entry, EntryOf } from "../../protocol/entry.ts";
import { isAnswer } from "./blocks.ts";
import { findCall, type ResultRow } from "./rows.ts";
import type { FileUse, Touch, View } from "../types.ts";

const known = new WeakMap<EntryOf<"result">, readonly Touch[]>();

/** Found once for each result. */
export function findTouches(view: View, { entry }: ResultRow): readonly Touch[] {
  const touches =
    known.get(entry) ?? findResultTouches(view, entry, () => findCall(view, entry)?.input);
  known.set(entry, touches);
  return touches;
}

type InputLookup = () => ToolInput | undefined;

/** From the result's stamps; without any, from the files that a shell command prints or patches. */
const findResultTouches = (
  view: View,
  result: EntryOf<"result">,
  findInput: InputLookup,
): Touch[] =>
  result.stamps?.length
    ? result.stamps.map(({ path, does, lines }) => ({ path, does, isPart: lines !== undefined }))
    : findCallTouches(view, result, findInput);

function findCallTouches(view: View, result: EntryOf<"result">, findInput: InputLookup): Touch[] {
  if (result.isError) return [];
  const input = findInput() ?? {};
  const printed = isShell(result.tool) ? printedFiles(input) : [];
  return [
    ...patchedFiles(input).map((path): Touch => ({ path, does: "write", isPart: true })),
    ...printed.map((path): Touch => ({ path, does: "read", isPart: true })),
  ].map((touch) => ({ ...touch, path: absolutePath(view, touch.path) }));
}

/** The file that a call names, as stamps name it; null: it names none. */
export function findCallFile(view: View, input: ToolInput): string | null {
  const path = findFilePath(input);
  return path === null ? null : absolutePath(view, path);
}

/** The path in the form that stamps use. */
const absolutePath = ({ session }: View, path: string): string =>
  /^[/~]/.test(path) ? path : `${session?.cwd ?? ""}/${path.replace(/^(?:\.\/)+/, "")}`;

const patchedFile = /\*\*\* (?:Update|Add) File: ([^\n\\"]+)/g;

function patchedFiles(input: ToolInput): string[] {
  const files: string[] = [];
  for (const name in input) {
    const value = input[name];
    if (typeof value !== "string" || !value.includes("*** Begin Patch")) continue;
    for (const [, path = ""] of value.matchAll(patchedFile)) files.push(path.trim());
  }
  return files;
}

/** Every file that calls have read or written, as entries are added. */
export class FileUses {
  /** `atCall`: calls before its last use. */
  readonly #files = new Map<string, { atCall: number; edited: boolean }>();
  #calls = 0;
  /**
   * Inputs of the calls since the latest answer, by id: an old answer is on disk, and is not read
   * again.
   */
  readonly #inputs = new Map<string, ToolInput>();

  get(path: string): FileUse | undefined {
    const file = this.#files.get(path);
    return file && { callsSince: this.#calls - file.atCall, edited: file.edited };
  }

  /** `view`: with the entry. */
  add(entry: Entry, view: View): void {
    if (entry.type === "assistant") this.#addCalls(entry);
    if (entry.type !== "result") return;
    const findInput = (): ToolInput | undefined => this.#inputs.get(entry.toolUse);
    for (const { path, does } of findResultTouches(view, entry, findInput)) {
      const edited = does === "write" || this.#files.get(path)?.edited === true;
      this.#files.set(path, { atCall: this.#calls, edited });
    }
  }

  #addCalls(entry: EntryOf<"assistant">): void {
    this.#calls++;
    if (isAnswer(entry)) this.#inputs.clear();
    for (const block of entry.content)
      if (block.type === "tool_use") this.#inputs.set(block.id, block.input);
  }
}

export const isShell = (tool: string): boolean => tool === "Bash";

/** Shell commands that print a file, with the path as the last argument of a simple command. */
const prints = /(?:^|[;&|]\s*)(?:cat|nl|head|tail|sed)\b([^;&|<>]*)/g;

/** The files that a shell command prints. */
function printedFiles(input: ToolInput): string[] {
  const text = input["command"];
  if (typeof text !== "string" || text.length > 2_000) return [];
  return [...text.matchAll(prints)].flatMap(([, rest = ""]) => {
    const words = rest
      .trim()
      .split(/\s+/)
      .map((word) => word.replace(/^["']|["']$/g, ""));
    const last = words.at(-1) ?? "";
    return /^[\w~./@-]*\w\.\w+$|\/\w/.test(last) ? [last] : [];
  });
}
