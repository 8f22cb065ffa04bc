/** Changes from before the workspace was renamed, under the paths of today. */

import { existsSync } from "node:fs";
import type { Entry } from "../protocol/entry.ts";
import type { FileRewind } from "./plan.ts";

/** `path`: the session, which names each folder that it worked in. `cwd`: where it works now. */
export function inNewPlace(rewind: FileRewind, path: readonly Entry[], cwd: string): FileRewind {
  const folders = path.flatMap((entry) => (entry.type === "session" ? [entry.cwd] : []));
  const gone = [...new Set(folders)].filter((folder) => folder !== cwd && !existsSync(folder));
  if (gone.length === 0) return rewind;
  const move = (file: string): string => {
    const from = gone.find((folder) => file === folder || file.startsWith(`${folder}/`));
    return from === undefined ? file : cwd + file.slice(from.length);
  };
  const moved = (checkpoints: FileRewind["undo"]): FileRewind["undo"] =>
    checkpoints.map((checkpoint) => ({
      ...checkpoint,
      files: checkpoint.files.map((change) => ({ ...change, path: move(change.path) })),
    }));
  return { ...rewind, undo: moved(rewind.undo), redo: moved(rewind.redo) };
}
