/** A workspace in a temporary folder, with all tools. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { contentId } from "../../src/log/checkpoints.ts";
import { type ToolInput, blockText } from "../../src/protocol/block.ts";
import { defaultPolicy } from "../../src/protocol/policy.ts";
import { createToolbox, type ToolboxOptions } from "../../src/tools/toolbox.ts";
import type { RuleTexts } from "../../src/trust/rules/rules.ts";
import { ToolError, type CallOptions, type Toolbox } from "../../src/tools/tool.ts";

const made: string[] = [];
const boxes: Toolbox[] = [];

/** For `afterAll`: ends what is still running and removes the folders. */
export async function leave(): Promise<void> {
  await Promise.all(boxes.splice(0).map((box) => box.close()));
  for (const folder of made.splice(0)) {
    // Commands may have closed some of it.
    if (process.getuid?.() !== 0) Bun.spawnSync(["chmod", "-R", "u+rwX", folder]);
    rmSync(folder, { recursive: true, force: true });
  }
}

export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "tools-")));
  made.push(folder);
  return folder;
}

export type Room = Awaited<ReturnType<typeof room>>;

type RoomOptions = Omit<Partial<ToolboxOptions>, "rules"> & {
  rules?: Partial<RuleTexts>;
  /** Of the workspace. */
  name?: string;
};

let calls = 0;

export async function room({ rules, name = "workspace", ...options }: RoomOptions = {}) {
  const top = temporaryFolder();
  const root = join(top, name);
  const outside = join(top, "outside");
  const home = join(top, "home");
  const results = join(home, ".mini-claude", "tool-results");
  for (const folder of [root, outside, home]) mkdirSync(folder, { recursive: true });
  /** Contents that were saved before changes, by hash. */
  const kept = new Map<string, string>();
  const box = await createToolbox({
    workspace: root,
    addedFolders: [],
    resultsDir: results,
    policy: defaultPolicy,
    mode: "default",
    childEnv: { PATH: process.env["PATH"] ?? "", HOME: home },
    clock: { now: () => 1_700_000_000_000 },
    checkpoint: {
      save: async (bytes) => {
        const hash = contentId(bytes);
        kept.set(hash, Buffer.from(bytes).toString("latin1"));
        return hash;
      },
    },
    progressMs: 5,
    graceMs: 500,
    ...(rules && { rules: { allow: [], ask: [], deny: [], ...rules } }),
    ...options,
  });
  boxes.push(box);
  const call = (name: string, input: ToolInput) => {
    calls += 1;
    return box.ownCall({ type: "tool_use", id: `toolu_${calls}`, name, input });
  };
  /** Runs without approval. */
  const run = (name: string, input: ToolInput, more: Partial<CallOptions> = {}) =>
    box.run(call(name, input), { ...quietRun(), ...more });
  /** Reviews a call that must not be refused, and runs it as it was judged. */
  const judged = async (name: string, input: ToolInput, more: Partial<CallOptions> = {}) => {
    const made = call(name, input);
    const review = await box.review(made);
    if (review.verdict === "refuse") throw new ToolError(review.reason);
    return box.run(made, { ...quietRun(), ...more });
  };
  /** Writes a file into the workspace and returns its absolute path. */
  const put = (path: string, content: string | Uint8Array): string => {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    return file;
  };
  /** Reviews a command, and runs it as it was judged: the text of the result, or why it is refused. */
  const bash = (command: string, more: ToolInput = {}): Promise<string> =>
    judged("Bash", { command, ...more }).then(
      ({ content }) => blockText(content),
      (refusal: Error) => refusal.message,
    );
  return {
    root,
    /** A folder beside the workspace, outside of it. */
    outside,
    results,
    box,
    kept,
    put,
    review: (name: string, input: ToolInput) => box.review(call(name, input)),
    verdict: async (name: string, input: ToolInput) =>
      (await box.review(call(name, input))).verdict,
    run,
    /** The text of the result. */
    say: async (name: string, input: ToolInput) => blockText((await run(name, input)).content),
    judged,
    bash,
    /** Runs a script like `bash`: its words name nothing that could be asked about. */
    script: (script: string, more?: ToolInput) => (
      put("work.sh", script),
      bash("bash work.sh", more)
    ),
  };
}

/** Sources of a session without a past. */
export const emptySession = {
  memory: {
    search: async () => [],
    searchProject: async () => [],
    open: async () => null,
    findCall: () => null,
  },
  asking: () => null,
  loadSkill: async () => null,
};

export const quietRun = (): CallOptions => ({
  signal: new AbortController().signal,
  progress: () => undefined,
  background: new Promise(() => undefined),
  ask: async () => ({ allow: false as const }),
});
