/** Runs as a separate process: how much memory a command takes that writes 60 MB. */

import { statSync } from "node:fs";
import { blockText } from "../../../src/protocol/block.ts";
import { defaultPolicy } from "../../../src/protocol/policy.ts";
import { createToolbox } from "../../../src/tools/toolbox.ts";

const [workspace = "", resultsDir = ""] = process.argv.slice(2);

const box = await createToolbox({
  workspace,
  addedFolders: [],
  resultsDir,
  policy: defaultPolicy,
  mode: "default",
  childEnv: { PATH: process.env["PATH"] ?? "" },
  clock: { now: () => 0 },
  checkpoint: { save: async () => "" },
});

let peakBytes = 0;
const watch = () => {
  peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
};
const run = (command: string) =>
  box.run(
    { type: "tool_use", id: "flood", name: "Bash", input: { command } },
    {
      signal: new AbortController().signal,
      progress: watch,
      background: new Promise(() => undefined),
      ask: async () => ({ allow: false as const }),
    },
  );

await run("seq 1 100000");
const startBytes = process.memoryUsage.rss();
const line = "x".repeat(99);
const outcome = await run(`yes ${line} | head -c 60000000`);
watch();
const report = {
  bytes: outcome.bytes,
  onDisk: statSync(outcome.file ?? "").size,
  grownBytes: peakBytes - startBytes,
  shownChars: blockText(outcome.content).length,
};
await Bun.write(Bun.stdout, JSON.stringify(report));
await box.close();
