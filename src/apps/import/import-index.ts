import { closeSync, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import { parseJson } from "./json.ts";
import type { SourceInfo } from "./source.ts";

/** An earlier import of the same session. */
export type Earlier = {
  file: string;
  session: string;
  /** Of the other agent's file, that were read then. */
  bytes: number;
  /** Nobody went on with it here. */
  isUntouched: boolean;
};

const firstEntry = z.object({
  type: z.literal("session"),
  imported: z.object({ agent: z.string(), id: z.string(), bytes: z.number() }),
});
const lastEntry = z.object({ type: z.literal("note"), text: z.string() });

/** How the last entry of an import begins; whatever is behind it happened here. */
export const closingWords = "Imported from ";

/** The system prompt and the tools are on the first line. */
const headBytes = 512 * 1024;
const tailBytes = 64 * 1024;

/** The sessions that are kept, by the name that an import gives them. */
export class ImportIndex {
  readonly #root: string;
  /** Files by the mark in their name; read once, kept up to date by `put`. */
  #files: Map<string, string[]> | null = null;

  /** `root` holds a folder a project. */
  constructor(root: string) {
    this.#root = root;
  }

  /** The imports of a session, the one that read most first. */
  find(about: SourceInfo): Earlier[] {
    const found = (this.#known().get(markOf(about)) ?? []).flatMap((file) => {
      const earlier = look(file, about);
      return earlier ? [earlier] : [];
    });
    return found.sort((a, b) => b.bytes - a.bytes);
  }

  /** A name that is free, and tells when the session began and whose it is. */
  nameFor(about: SourceInfo): string {
    const began = new Date(about.startedMs ?? 0).toISOString().slice(0, 19);
    const mark = markOf(about);
    const base = `${began.replace(/[-:+]/g, "").replace("T", "-")}-${mark}`;
    const taken = new Set((this.#known().get(mark) ?? []).map((file) => basename(file, ".jsonl")));
    for (let number = 2, name = base; ; name = `${base}-${number++}`) {
      if (!taken.has(name)) return name;
    }
  }

  put(about: SourceInfo, file: string): void {
    const mark = markOf(about);
    this.#known().set(mark, [...(this.#known().get(mark) ?? []), file]);
  }

  #known(): Map<string, string[]> {
    if (this.#files) return this.#files;
    this.#files = new Map();
    for (const folder of namesIn(this.#root)) {
      for (const name of namesIn(join(this.#root, folder))) {
        const mark = /^\d+-\d+-([0-9a-f]{6})(?:-\d+)?\.jsonl$/.exec(name)?.[1];
        if (mark === undefined) continue;
        const files = this.#files.get(mark) ?? [];
        files.push(join(this.#root, folder, name));
        this.#files.set(mark, files);
      }
    }
    return this.#files;
  }
}

/** Six letters of a session's id. The id itself, which a stranger wrote, is never part of a path. */
const markOf = ({ agent, id }: SourceInfo): string =>
  new Bun.CryptoHasher("sha256").update(`${agent}\n${id}`).digest("hex").slice(0, 6);

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function look(file: string, about: SourceInfo): Earlier | null {
  try {
    const fd = openSync(file, "r");
    try {
      const { size } = fstatSync(fd);
      const head = read(fd, 0, Math.min(size, headBytes)).split("\n")[0] ?? "";
      const first = firstEntry.safeParse(parseJson(head));
      if (!first.success) return null;
      const { agent, id, bytes } = first.data.imported;
      if (agent !== about.agent || id !== about.id) return null;
      const tail = read(fd, Math.max(0, size - tailBytes), Math.min(size, tailBytes)).trimEnd();
      const last = lastEntry.safeParse(parseJson(tail.slice(tail.lastIndexOf("\n") + 1)));
      const isUntouched = last.success && last.data.text.startsWith(closingWords);
      return { file, session: basename(file, ".jsonl"), bytes, isUntouched };
    } finally {
      closeSync(fd);
    }
  } catch {
    return null;
  }
}

function read(fd: number, from: number, bytes: number): string {
  const buffer = Buffer.alloc(bytes);
  return buffer.toString("utf8", 0, readSync(fd, buffer, 0, bytes, from));
}
