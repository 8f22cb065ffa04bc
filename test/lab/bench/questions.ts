/**
 * How many recorded commands would ask, by mode and class. `bun test/lab/bench/questions.ts FOLDER`: a folder
 * of sessions in the common format, one JSON object a line.
 */

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { judge } from "../../../src/trust/judge.ts";
import { Rules, type SessionRule } from "../../../src/trust/rules/rules.ts";
import type { Situation } from "../../../src/trust/verdict.ts";
import { openWorkspace } from "../../../src/tools/workspace.ts";

type Recorded = { session: string; cwd: string; command: string; background: boolean };

function readRecorded(folder: string): Recorded[] {
  const found: Recorded[] = [];
  for (const name of readdirSync(folder).filter((one) => one.endsWith(".jsonl"))) {
    let cwd = "";
    for (const line of readFileSync(join(folder, name), "utf8").split("\n")) {
      if (line === "") continue;
      const entry = JSON.parse(line);
      if (entry.session !== undefined && entry.cwd !== undefined) cwd = entry.cwd;
      for (const block of Array.isArray(entry.content) ? entry.content : []) {
        const command = block.input?.command ?? block.input?.cmd;
        const isCommand = /^(?:[Bb]ash|exec_command)$/.test(block.name ?? "");
        if (block.type !== "tool_use" || !isCommand || typeof command !== "string") continue;
        const background = block.input.run_in_background === true;
        found.push({ session: name, cwd, command, background });
      }
    }
  }
  return found;
}

/** A folder of Windows is written in several ways. */
function listNames(cwd: string): string[] {
  const [, drive, way] = /^([A-Z]):\\(.*)$/.exec(cwd) ?? [];
  if (drive === undefined || way === undefined) return cwd === "" ? [] : [cwd];
  const path = way.replaceAll("\\", "/");
  return [cwd, `${drive}:/${path}`, `/${drive.toLowerCase()}/${path}`];
}

/** A word for what a command is about. */
function classify(command: string): string {
  if (/\bgit (?:-\S+ \S+ )?(?:push|pull|fetch|clone|ls-remote)\b/.test(command))
    return "git with a remote";
  if (/(?:^|[;&|(]\s*)(?:gh|docker|ssh|brew|kubectl|open|apt-get|wsl)\b/m.test(command))
    return "outside the sandbox";
  if (
    /\b(?:curl|wget|nc|npx|bunx)\b|\b(?:npm|pnpm|yarn|bun|pip|cargo|go) (?:i|install|add|ci|update|get|mod)\b/.test(
      command,
    )
  )
    return "network";
  if (
    /\bgit (?:-\S+ )*(?:add|commit|tag|checkout|switch|rebase|merge|stash|reset|restore)\b/.test(
      command,
    )
  )
    return "git that writes";
  if (
    /\b(?:test|build|run|make|cargo|go|pytest|tsc|vitest|jest|lint|node|python3?|bun|npm|pnpm|yarn|npx|bunx)\b/.test(
      command,
    )
  )
    return "build, test, run";
  if (/\b(?:rm|mv|cp|mkdir|touch|chmod|tee|sed -i)\b|>/.test(command)) return "files";
  return "looking";
}

const folder = process.argv[2];
const shows = process.argv[3];
if (folder === undefined) throw new Error("Name a folder of recorded sessions.");
const top = realpathSync(mkdtempSync(join(tmpdir(), "questions-")));
const root = join(top, "workspace");
const home = join(top, "home");
for (const one of [root, join(home, ".config/gh")]) mkdirSync(one, { recursive: true });
for (const args of [
  ["init", "-q"],
  ["remote", "add", "origin", "https://github.com/a/b.git"],
  ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x"],
])
  Bun.spawnSync(["git", ...args], { cwd: root });
const results = join(home, ".mini-claude/tool-results");
const workspace = await openWorkspace({
  workspace: root,
  added: [],
  results,
  home,
  temporary: async () => null,
} as never);
const folders = { home, own: join(home, ".mini-claude"), results, roots: [root] };
const recorded = readRecorded(folder);

const modes = [
  "default",
  "default, allowing for the session",
  "auto",
  "auto, allowing for the session",
];

for (const hasSandbox of [true, false]) {
  for (const mode of modes) {
    if (!hasSandbox && !mode.startsWith("default")) continue;
    const rows = new Map<string, Record<"tried" | "asked" | "refused" | "free", number>>();
    const sessions = new Map<string, SessionRule[]>();
    for (const { session, cwd, command, background } of recorded) {
      const granted = sessions.get(session) ?? [];
      if (mode.includes(",")) sessions.set(session, granted);
      const rules = new Rules({ allow: [], ask: [], deny: [] }, { workspace: root, home }, granted);
      const now: Situation = {
        mode: mode.startsWith("default") ? "default" : "auto",
        rules,
        workspace,
        folders,
        tool: "Bash",
        cwd: root,
        sandbox: async () => hasSandbox,
      };
      const here = listNames(cwd).reduce((text, name) => text.replaceAll(name, root), command);
      const verdict = await judge(
        { kind: "command", command: here, background, writable: [] },
        now,
      );
      if (verdict.verdict === "ask" && verdict.rule) rules.add(verdict.rule);
      for (const name of [classify(command), "all"]) {
        const row = rows.get(name) ?? { tried: 0, asked: 0, refused: 0, free: 0 };
        row.tried += 1;
        row[
          verdict.verdict === "ask" ? "asked" : verdict.verdict === "refuse" ? "refused" : "free"
        ] += 1;
        rows.set(name, row);
      }
      if (shows === `${hasSandbox ? mode : "none"}` && verdict.verdict !== "allow")
        console.log(
          JSON.stringify([
            verdict.verdict,
            classify(command),
            here,
            verdict.verdict === "ask" ? (verdict.warning ?? verdict.access ?? "") : verdict.reason,
          ]),
        );
    }
    console.log(`\n${mode}${hasSandbox ? "" : ", without a sandbox"}`);
    const table = [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1));
    console.log("class                  tried  asked         refused  free");
    for (const [name, { tried, asked, refused, free }] of table)
      console.log(
        `${name.padEnd(22)} ${String(tried).padStart(5)}  ${String(asked).padStart(5)} (${((100 * asked) / tried).toFixed(1).padStart(5)} %) ${String(refused).padStart(7)} ${String(free).padStart(5)}`,
      );
  }
}
rmSync(top, { recursive: true, force: true });
