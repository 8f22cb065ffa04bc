import { readIfPresent } from "../../base/regular-file.ts";
import type { CheckpointFact } from "../../protocol/entry.ts";
import { ToolError } from "../tool.ts";
import { describeError } from "../workspace.ts";

/** Saves the files that one call changes, as they were before and after. */
export function recordChanges(store: { save(bytes: Uint8Array): Promise<string> }) {
  const known = new Map<string, string | null>();
  const saved = async (path: string): Promise<string | null> => {
    const bytes = await readIfPresent(path);
    return bytes === null ? null : store.save(bytes);
  };
  return {
    /** Throws `ToolError` when the content cannot be saved; then the file must not be changed. */
    async keep(path: string): Promise<void> {
      if (known.has(path)) return;
      try {
        known.set(path, await saved(path));
      } catch (error) {
        throw new ToolError(
          `${path} was not changed: its content could not be saved for a rewind (${describeError(error)}).`,
        );
      }
    },

    /** The files that were about to change. */
    known: (): string[] => [...known.keys()],

    /** The files that changed. */
    async finish(): Promise<CheckpointFact["files"]> {
      const files: CheckpointFact["files"] = [];
      for (const [path, before] of known) {
        const after = await saved(path).catch(() => null);
        if (after !== before) files.push({ path, before, after });
      }
      return files;
    },
  };
}
