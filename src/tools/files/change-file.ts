/** The common part of tools that change a file, and the diff of a change. */

import { cutMiddle } from "../../base/clip.ts";
import { judgedPath, textOutput, type Tool } from "../tool.ts";
import type { WorkspacePath } from "../workspace.ts";
import { hashBytes } from "./changed-files.ts";
import { stampFile, type FileAccess } from "./file-access.ts";
import { replaceFile, type WholeFile } from "./judged-file.ts";

/** `before`: null when the file is created. `said`: the result, for the model. */
type PlannedChange = { before: WholeFile | null; after: string; bytes: Uint8Array; said: string };

/** A tool that replaces a file with the result of `plan`, which is pure and throws `ToolError`. */
export function changingTool<Input extends { file_path: string }>(
  files: FileAccess,
  tool: Pick<Tool<Input>, "name" | "description" | "schema">,
  plan: (file: WorkspacePath, input: Input) => Promise<PlannedChange>,
): Tool<Input> {
  return {
    ...tool,
    readOnly: false,
    async intent(input) {
      const file = await files.workspace.locate(input.file_path);
      return {
        access: { kind: "write", path: file.path },
        title: `${tool.name} ${file.shown}`,
        async detail() {
          const { before, after } = await plan(file, input);
          return showDiff(file.shown, before?.text ?? "", after);
        },
        detailKind: "diff",
      };
    },
    async run(input, run) {
      const file = files.workspace.at(judgedPath(run));
      const { before, after, bytes, said } = await plan(file, input);
      await run.checkpoint(file.path);
      await replaceFile(file, bytes);
      files.onChange?.({ path: file.path, before: before?.text ?? null, after });
      const stamp = { path: file.path, hash: hashBytes(bytes), bytes: bytes.length };
      return {
        ...textOutput(said),
        ...(before && { diff: showDiff(file.shown, before.text, after) }),
        stamps: [stampFile(files, { ...stamp, does: "write" })],
      };
    },
  };
}

/** Only loaded for the first change. */
const jsdiff = (): typeof import("diff") => require("diff");

const maxDiffedChars = 2_000_000;

/** A readable unified diff, or a sentence if the change is too large for one. */
function showDiff(shown: string, before: string, after: string): string {
  if (before === after) return "(no change)";
  if (before.length + after.length > maxDiffedChars) {
    return `${shown}: from ${before.length} to ${after.length} characters; too large for a diff.`;
  }
  const from = before === "" ? "/dev/null" : `a/${shown}`;
  const { createTwoFilesPatch } = jsdiff();
  const names = [from, `b/${shown}`] as const;
  const options = { context: 3, timeout: 2_000 };
  const patch = createTwoFilesPatch(...names, before, after, undefined, undefined, options);
  if (patch === undefined) return `${shown}: changed almost everywhere; too large for a diff.`;
  return cutMiddle(patch.replace(/^=+\n/, ""), 20_000);
}
