/** Helpers that the file tools share. */

import type { FileStamp } from "../../protocol/entry.ts";
import type { Workspace } from "../workspace.ts";

/** The state of each file as this session last saw it. */
export class SeenFiles {
  readonly #seen = new Map<string, string>();

  /** `resumed`: stamps of the resumed session, oldest first. */
  constructor(resumed: Iterable<FileStamp> = []) {
    for (const stamp of resumed) this.note(stamp);
  }

  note({ path, hash }: Pick<FileStamp, "path" | "hash">): void {
    this.#seen.set(path, hash);
  }

  /** The hash seen last; undefined if the file was neither read nor written in this session. */
  lastSeen(path: string): string | undefined {
    return this.#seen.get(path);
  }
}

/** A file that a tool changed. `before`: null when it was created. */
export type FileChange = { path: string; before: string | null; after: string };

export type FileAccess = {
  workspace: Workspace;
  seenFiles: SeenFiles;
  onChange?: ((change: FileChange) => void) | undefined;
};

/** Records a file as seen and returns its stamp. */
export function stampFile(files: FileAccess, stamp: FileStamp): FileStamp {
  files.seenFiles.note(stamp);
  return stamp;
}
