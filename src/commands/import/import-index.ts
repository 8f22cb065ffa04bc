import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import { attempt } from "../../base/guards.ts";
import { parseJson } from "./json.ts";
import { closingPrefix } from "./session.ts";
import type { ForeignSession } from "./source.ts";

/** An earlier import of the same session. */
export type EarlierImport = {
  file: string;
  session: string;
  /** Bytes of the other agent's files that were read. */
  bytes: number;
  /** It was not continued here. */
  isUntouched: boolean;
};

const firstEntry = z.object({
  type: z.literal("session"),
  imported: z.object({ agent: z.string(), id: z.string(), bytes: z.number() }),
});
const lastEntry = z.object({ type: z.literal("note"), text: z.string() });

type Identity = Pick<ForeignSession, "agent" | "id">;

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
  find(session: Identity): EarlierImport[] {
    const files = this.#files.get(hashOf(session)) ?? [];
    const found = files.flatMap((file) => attempt(() => readEarlier(file, session), null) ?? []);
    return found.sort((a, b) => b.bytes - a.bytes);
  }

  /** A free name, made of the time the session began and a hash of its id. */
  nameFor(session: Identity & Pick<ForeignSession, "startedMs">): string {
    const began = new Date(session.startedMs ?? 0).toISOString().slice(0, 19);
    const hash = hashOf(session);
    const base = `${began.replace(/[-:+]/g, "").replace("T", "-")}-${hash}`;
    const taken = new Set((this.#files.get(hash) ?? []).map((file) => basename(file, ".jsonl")));
    for (let number = 2, name = base; ; name = `${base}-${number++}`) {
      if (!taken.has(name)) return name;
    }
  }

  put(session: Identity, file: string): void {
    const hash = hashOf(session);
    this.#files.set(hash, [...(this.#files.get(hash) ?? []), file]);
  }
}

/** A short hash of the session's id. The id itself is not trusted, so it is never part of a path. */
const hashOf = ({ agent, id }: Identity): string =>
  new Bun.CryptoHasher("sha256").update(`${agent}\n${id}`).digest("hex").slice(0, 6);

const namesIn = (folder: string): string[] => attempt(() => readdirSync(folder), []);

function readEarlier(file: string, session: Identity): EarlierImport | null {
  const log = readFileSync(file);
  const parseSlice = (from: number, to: number): unknown =>
    parseJson(log.toString("utf8", from, to));
  const first = firstEntry.safeParse(parseSlice(0, log.indexOf(10)));
  if (!first.success) return null;
  const { agent, id, bytes } = first.data.imported;
  if (agent !== session.agent || id !== session.id) return null;
  const last = lastEntry.safeParse(parseSlice(log.lastIndexOf(10, -2) + 1, log.length));
  const isUntouched = last.success && last.data.text.startsWith(closingPrefix);
  return { file, session: basename(file, ".jsonl"), bytes, isUntouched };
}
