/**
 * The whole program at work, killed at random moments: while it appends, persists large results,
 * keeps files before edits, compacts, and indexes. What it reported as saved must be there.
 */

import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { Archive } from "../../src/log/catalog.ts";
import { openLog } from "../../src/log/store.ts";
import { goodSummary } from "../agent/compaction/harness.ts";
import { cli, folderWithBun } from "../bin.ts";
import { runInProcess } from "../in-process.ts";
import { call, say, startFakeApi, type AnswerBlock, type Responder } from "../fake-api/index.ts";

const eventSchema = z.looseObject({
  type: z.string(),
  entry: z.looseObject({ id: z.string(), type: z.string() }).optional(),
});

const prompt = "Change the notes, list the harbour, and read the sources.";

const edit = (from: string, to: string): AnswerBlock =>
  call("Edit", { file_path: "notes.txt", old_string: from, new_string: to });

/** Edits, a command with a large result, reads; with such a small window it compacts every few calls. */
const steps: readonly AnswerBlock[] = [
  call("Read", { file_path: "notes.txt" }),
  edit("old", "new"),
  edit("new", "old"),
  call("Bash", { command: "cat large.txt" }),
  ...[0, 1, 2, 3, 4, 5].map((n) => call("Read", { file_path: `src/f${n}.ts` })),
];

/** The steps in turn, then an answer, and again: a killed turn continues where it was. */
const worker = (): Responder => {
  let at = 0;
  return ({ messages }) => {
    const last = JSON.stringify(messages.at(-1)?.content ?? "");
    if (last.includes("<analysis>")) return say(goodSummary());
    const next = steps[at++ % (steps.length + 1)];
    return next ? { content: [next] } : say("Done.");
  };
};

/** `random` gives numbers from 0 to 1. Rejects when a session cannot be resumed. */
export async function killBusySessions(root: string, kills: number, random: () => number) {
  const folder = join(root, "work");
  await mkdir(join(folder, "src"), { recursive: true });
  await Bun.write(join(folder, "large.txt"), "a line of the harbour\n".repeat(3_000));
  await Bun.write(join(folder, "notes.txt"), "old\n");
  for (let n = 0; n < 6; n++)
    await Bun.write(join(folder, "src", `f${n}.ts`), `export const v${n} = ${n};\n`.repeat(300));
  const home = join(root, "home");
  const bin = await folderWithBun(root);
  const windowTokens = 16_000;
  const api = startFakeApi({ responder: worker(), model: { windowTokens } });
  const env = {
    ANTHROPIC_API_KEY: "sk-ant-test",
    ANTHROPIC_BASE_URL: api.url,
    HOME: root,
    MINI_CLAUDE_HOME: home,
    MINI_CLAUDE_WINDOW_TOKENS: String(windowTokens),
    PATH: `${bin}:/usr/bin:/bin`,
  };
  const run = (more: string[]) =>
    Bun.spawn([cli, "-p", "--permission-mode", "bypass", ...more, prompt], {
      cwd: folder,
      env,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "ignore",
    });

  const acknowledged = new Map<string, unknown>();
  for (let kill = 0; kill < kills; kill++) {
    const more = kill === 0 ? [] : ["--continue"];
    const child = run(["--output-format", "events", ...more]);
    const after = 1 + Math.floor(random() * 40);
    const delayMs = random() * 12;
    let entries = 0;
    let text = "";
    for await (const chunk of child.stdout) {
      const lines = (text + Buffer.from(chunk).toString("utf8")).split("\n");
      text = lines.pop() ?? "";
      for (const line of lines) {
        const { entry } = eventSchema.parse(JSON.parse(line));
        if (!entry) continue;
        acknowledged.set(entry.id, entry);
        if (++entries === after) setTimeout(() => child.kill("SIGKILL"), delayMs);
      }
    }
    await child.exited;
  }

  const file = await onlyLog(home);
  const log = openLog(file);
  const lost = [...acknowledged].filter(([id, entry]) => !Bun.deepEquals(log.get(id), entry));
  const files = log.path.flatMap((entry) =>
    entry.type === "result" && entry.file !== undefined ? [entry.file] : [],
  );
  for (const kept of files)
    if (!(await Bun.file(kept).exists())) throw new Error(`${kept} is named and not there.`);
  const archive = new Archive(log, join(home, "tool-results"));
  const hits = await archive.search("harbour", 5);
  if (hits.length === 0) throw new Error("The search finds nothing.");
  const cuts = log.entries.filter((entry) => entry.type === "cut").length;
  await log.close();
  const args = ["-p", "--permission-mode=bypass", "--continue", prompt];
  const last = await runInProcess({ env, project: folder }, args);
  if (last.code !== 0) throw new Error(last.err);
  await api.stop();
  return { acknowledged: acknowledged.size, lost: lost.length, cuts, persisted: files.length };
}

async function onlyLog(home: string): Promise<string> {
  const names = await readdir(join(home, "sessions"), { recursive: true });
  const logs = names.filter((name) => name.endsWith(".jsonl"));
  const [only] = logs;
  if (only === undefined || logs.length > 1) throw new Error(`Logs: ${logs.join(", ")}`);
  return join(home, "sessions", only);
}
