/**
 * Whether calls that models really made are understood: `bun test/lab/bench/accepted.ts FOLDER` reads
 * recorded sessions, one a file, and counts for each agent and tool that has an equivalent here how
 * many of its calls are not refused for their form. `--refused` prints those that are.
 */

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { blockText } from "../../../src/protocol/block.ts";
import { agentTool } from "../../../src/tools/agent-tool.ts";
import { askUserTool } from "../../../src/tools/ask-user.ts";
import { exitPlanModeTool } from "../../../src/tools/exit-plan-mode.ts";
import { skillTool } from "../../../src/tools/skill.ts";
import { leave, room } from "../../tools/room.ts";

const [folder = "", flag] = process.argv.slice(2);

/** Our name of a tool of another agent; null: there is nothing like it. */
const ours: Readonly<Record<string, string>> = {
  PowerShell: "Bash",
  Task: "Agent",
  TaskOutput: "BashOutput",
  TaskStop: "KillShell",
  bash: "Bash",
  create: "Write",
  edit: "Edit",
  exec_command: "Bash",
  find_file: "Glob",
  open: "Read",
  read: "Read",
  request_user_input: "AskUserQuestion",
  update_plan: "TodoWrite",
  wait: "BashOutput",
  write: "Write",
  write_stdin: "BashInput",
};

const line = z.object({
  role: z.literal("assistant"),
  content: z.array(z.looseObject({ type: z.string() })),
});
const call = z.object({ name: z.string(), input: z.record(z.string(), z.unknown()).catch({}) });
const head = z.looseObject({ agent: z.string().catch("unknown") });

/** How the form of a call is refused; else it was understood, whatever came of it. */
const form = /^(?:Invalid input for |\w+ needs `|There is no tool |The input of )/;

const workspace = mkdtempSync(join(tmpdir(), "bench-accepted-"));
const nobody = (): Promise<never> => Promise.reject(new Error("It is not started here."));
const at = await room({
  workspace,
  sandbox: "off",
  extra: [
    agentTool([{ name: "general-purpose", description: "" }], nobody),
    skillTool(async () => null),
  ],
});
at.box.add(askUserTool);
at.box.add(exitPlanModeTool(at.box));
const known = new Set(at.box.definitions.map(({ name }) => name));
const table = new Map<string, { calls: number; accepted: number }>();

for (const name of readdirSync(folder).filter((file) => file.endsWith(".jsonl"))) {
  const lines = (await Bun.file(join(folder, name)).text()).split("\n").filter(Boolean);
  const { agent } = head.parse(JSON.parse(lines[0] ?? "{}"));
  for (const text of lines.slice(1)) {
    const { data } = line.safeParse(JSON.parse(text));
    for (const block of data?.content ?? []) {
      const { data: made } = block.type === "tool_use" ? call.safeParse(block) : {};
      // What broke on the way to the recording says nothing about the call.
      if (!made || Object.hasOwn(made.input, "__unparsedToolInput")) continue;
      const tool = ours[made.name] ?? made.name;
      if (!known.has(tool)) continue;
      const key = `${agent.split(" ")[0] ?? ""} ${made.name}${tool === made.name ? "" : ` (${tool})`}`;
      const row = table.get(key) ?? { calls: 0, accepted: 0 };
      table.set(key, row);
      row.calls += 1;
      const review = await at.review(tool, made.input);
      const isRefused = review.verdict === "refuse" && form.test(review.reason);
      if (!isRefused) row.accepted += 1;
      else if (flag === "--refused") console.log(key, review.reason, JSON.stringify(made.input));
    }
  }
}

const rows = [...table].map(([what, row]) => ({ what, ...row }));
const sum = (of: "calls" | "accepted"): number => rows.reduce((all, row) => all + row[of], 0);
console.table(rows.toSorted((a, b) => b.calls - a.calls));
const share = (sum("accepted") / sum("calls")) * 100;
console.log(`${sum("accepted")} of ${sum("calls")} accepted: ${share.toFixed(1)} %`);

// The cost of a change: what the model reads of it.
const fifty = Array.from({ length: 50 }, (_, n) => `  const value${n} = compute(${n});`);
await at.run("Write", { file_path: "src/a.ts", content: fifty.join("\n") });
const edit = { file_path: "src/a.ts", old_string: fifty[20] ?? "", new_string: "  // gone" };
console.log(
  `Result of an Edit: ${blockText((await at.run("Edit", edit)).content).length} characters`,
);

await leave();
rmSync(workspace, { recursive: true });
