import type { FileStamp } from "../../protocol/entry.ts";

/** What this session has seen of each file: the newest stamp by path. */
export class SeenFiles {
  readonly #seen = new Map<string, string>();

  /** `stamps`: of the results that a resumed session already holds, oldest first. */
  constructor(stamps: readonly FileStamp[] = []) {
    for (const stamp of stamps) this.note(stamp);
  }

  note(stamp: Pick<FileStamp, "path" | "hash">): void {
    this.#seen.set(stamp.path, stamp.hash);
  }

  /** The hash that was seen last; undefined: the file was never read nor written here. */
  lastSeen(path: string): string | undefined {
    return this.#seen.get(path);
  }
}
