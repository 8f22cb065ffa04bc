/** Which files each tool result read or wrote, and when a file was last used. */

import { filePathOf, type ToolInput } from "../protocol/block.ts";
import type { EntryOf, FileStamp } from "../protocol/entry.ts";
import { callOf } from "./placeholder.ts";
import { isShell, printedFiles } from "./tool-names.ts";
import type { FileUse, View } from "./types.ts";

/** A file that a result touched; `isPart`: not all of it was shown. */
export type Touch = { path: string; does: FileStamp["does"]; isPart: boolean };

const known = new WeakMap<EntryOf<"result">, readonly Touch[]>();

/** From the result's stamps; without any, from the files that a shell command prints or patches. */
export function touchesOf(view: View, result: EntryOf<"result">): readonly Touch[] {
  const before = known.get(result);
  if (before) return before;
  const touches = result.stamps?.length
    ? result.stamps.map(({ path, does, lines }) => ({ path, does, isPart: lines !== undefined }))
    : touchesOfCall(view, result);
  known.set(result, touches);
  return touches;
}

function touchesOfCall(view: View, result: EntryOf<"result">): Touch[] {
  if (result.isError) return [];
  const input = callOf(view, result)?.input ?? {};
  const printed = isShell(result.tool) ? printedFiles(input) : [];
  return [
    ...patchedFiles(input).map((path): Touch => ({ path, does: "write", isPart: true })),
    ...printed.map((path): Touch => ({ path, does: "read", isPart: true })),
  ].map((touch) => ({ ...touch, path: absolutePath(view, touch.path) }));
}

/** The file that a call names, as stamps name it; null: it names none. */
export function fileOfCall(view: View, input: ToolInput): string | null {
  const path = filePathOf(input);
  return path === null ? null : absolutePath(view, path);
}

const absolutePath = ({ session }: View, path: string): string =>
  /^[/~]/.test(path) ? path : `${session?.cwd ?? ""}/${path.replace(/^(?:\.\/)+/, "")}`;

const patchedFile = /\*\*\* (?:Update|Add) File: ([^\n\\"]+)/g;

function patchedFiles(input: ToolInput): string[] {
  return Object.values(input).flatMap((value) =>
    typeof value === "string" && value.includes("*** Begin Patch")
      ? [...value.matchAll(patchedFile)].map(([, path = ""]) => path.trim())
      : [],
  );
}

/** Every file that calls have read or written. Looks at each row of a growing view once. */
export class FileUses {
  readonly #view: () => View;
  /** `atCall`: calls before its last use. */
  readonly #files = new Map<string, { atCall: number; edited: boolean }>();
  #rows = 0;
  #calls = 0;

  constructor(view: () => View) {
    this.#view = view;
  }

  get(path: string): FileUse | undefined {
    this.#follow();
    const file = this.#files.get(path);
    return file && { callsSince: this.#calls - file.atCall, edited: file.edited };
  }

  #follow(): void {
    const view = this.#view();
    for (; this.#rows < view.rows.length; this.#rows++) {
      const entry = view.rows[this.#rows]?.entry;
      if (entry?.type === "assistant") this.#calls++;
      if (entry?.type !== "result") continue;
      for (const { path, does } of touchesOf(view, entry)) {
        const edited = does === "write" || this.#files.get(path)?.edited === true;
        this.#files.set(path, { atCall: this.#calls, edited });
      }
    }
  }
}
