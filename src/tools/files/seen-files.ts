import type { FileStamp } from "../../protocol/entry.ts";

/** The state of each file as this session last saw it. */
export class SeenFiles {
  readonly #seen = new Map<string, string>();

  /** `stamps`: of the resumed session, oldest first. */
  constructor(stamps: readonly FileStamp[] = []) {
    for (const stamp of stamps) this.note(stamp);
  }

  note(stamp: Pick<FileStamp, "path" | "hash">): void {
    this.#seen.set(stamp.path, stamp.hash);
  }

  /** The hash seen last; undefined if the file was neither read nor written in this session. */
  lastSeen(path: string): string | undefined {
    return this.#seen.get(path);
  }
}
