import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import { attempt } from "../../base/guards.ts";
import { parseJson } from "./json.ts";
import type { SourceInfo } from "./source.ts";
import { SourceFile } from "./source-file.ts";

/** An earlier import of the same session. */
export type Earlier = {
  file: string;
  session: string;
  /** Bytes of the other agent's file that were read. */
  bytes: number;
  /** It was not continued here. */
  isUntouched: boolean;
};

const firstEntry = z.object({
  type: z.literal("session"),
  imported: z.object({ agent: z.string(), id: z.string(), bytes: z.number() }),
});
const lastEntry = z.object({ type: z.literal("note"), text: z.string() });

/** How the last entry of an import begins; anything after it happened here. */
export const closingPrefix = "Imported from ";

/** The first line holds the system prompt and the tools. */
const headBytes = 512 * 1024;
const tailBytes = 64 * 1024;

/** The sessions that were imported before, found by their names. */
export class ImportIndex {
  /** Files by the hash in their name. */
  readonly #files: Map<string, string[]>;

  /** `root` holds one folder per project. */
  constructor(root: string) {
    const logs = namesIn(root).flatMap((folder) =>
      namesIn(join(root, folder)).map((name) => join(root, folder, name)),
    );
    const form = /^\d+-\d+-([0-9a-f]{6})(?:-\d+)?\.jsonl$/;
    this.#files = Map.groupBy(logs, (file) => form.exec(basename(file))?.[1] ?? "");
  }

  /** The imports of a session, the most complete first. */
  find(info: SourceInfo): Earlier[] {
    const files = this.#files.get(hashOf(info)) ?? [];
    return files.flatMap((file) => readEarlier(file, info) ?? []).sort((a, b) => b.bytes - a.bytes);
  }

  /** A free name, made of the time the session began and a hash of its id. */
  nameFor(info: SourceInfo): string {
    const began = new Date(info.startedMs ?? 0).toISOString().slice(0, 19);
    const hash = hashOf(info);
    const base = `${began.replace(/[-:+]/g, "").replace("T", "-")}-${hash}`;
    const taken = new Set((this.#files.get(hash) ?? []).map((file) => basename(file, ".jsonl")));
    for (let number = 2, name = base; ; name = `${base}-${number++}`) {
      if (!taken.has(name)) return name;
    }
  }

  put(info: SourceInfo, file: string): void {
    const hash = hashOf(info);
    this.#files.set(hash, [...(this.#files.get(hash) ?? []), file]);
  }
}

/** A short hash of the session's id. The id itself is not trusted, so it is never part of a path. */
const hashOf = ({ agent, id }: SourceInfo): string =>
  new Bun.CryptoHasher("sha256").update(`${agent}\n${id}`).digest("hex").slice(0, 6);

const namesIn = (folder: string): string[] => attempt(() => readdirSync(folder), []);

function readEarlier(file: string, info: SourceInfo): Earlier | null {
  try {
    using log = new SourceFile(file);
    const head = log.lineAt({ offset: 0, bytes: Math.min(log.bytes, headBytes) });
    const first = firstEntry.safeParse(parseJson(head.split("\n", 1)[0] ?? ""));
    if (!first.success) return null;
    const { agent, id, bytes } = first.data.imported;
    if (agent !== info.agent || id !== info.id) return null;
    const tailAt = Math.max(0, log.bytes - tailBytes);
    const tail = log.lineAt({ offset: tailAt, bytes: log.bytes - tailAt }).trimEnd();
    const last = lastEntry.safeParse(parseJson(tail.slice(tail.lastIndexOf("\n") + 1)));
    const isUntouched = last.success && last.data.text.startsWith(closingPrefix);
    return { file, session: basename(file, ".jsonl"), bytes, isUntouched };
  } catch {
    return null;
  }
}
