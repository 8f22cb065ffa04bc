/**
 * Long sessions against the strict fake with faults at every point of a stream, full disks, clock
 * jumps, stops, kills and resumes: `bun test/lab/bench/soak.ts [--minutes N] [--turns N] [--seed S]`.
 * Prints what was refused, lost, run twice or left behind; exits with 1 when anything was.
 *
 * With --turns the first session has so many turns of about ten tool calls, in lives of up to 1,000
 * turns. The others follow for the rest of the time.
 */

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { z } from "zod";
import { readLog } from "../../../src/log/read.ts";
import { FakeApi } from "../../fake-api/index.ts";
import { faulty, type Fault } from "./soak/faults.ts";
import { describeGrowth, fitSlopes, type Sample } from "./soak/growth.ts";
import { Random } from "./soak/random.ts";
import { randomResponder } from "./soak/responder.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "1" },
    turns: { type: "string", default: "0" },
    seed: { type: "string", default: "1" },
    keep: { type: "boolean", default: false },
  },
});
const scaled =
  "scaled: waits of the agent take a thousandth, so retries of up to 32 s wait 32 ms, and closing, at most 2 s, waits 2 ms";
const random = new Random(Number(values.seed));
const endMs = Date.now() + Number(values.minutes) * 60_000;
const models = ["claude-sonnet-5-5", "claude-haiku-4-5", "claude-opus-5-5"] as const;

const reportSchema = z.looseObject({
  id: z.string().optional(),
  hash: z.string().optional(),
  type: z.string().optional(),
  idle: z.string().optional(),
  message: z.string().optional(),
  memory: z.object({ heap: z.number(), rss: z.number(), logBytes: z.number() }).optional(),
  closed: z.boolean().optional(),
  open: z.array(z.string()).optional(),
});

const total = {
  sessions: 0,
  lives: 0,
  kills: 0,
  turns: 0,
  toolCalls: 0,
  compactions: 0,
  acknowledged: 0,
};
const wrong = {
  refused: 0,
  lost: 0,
  ranTwice: 0,
  childrenLeft: 0,
  locksLeft: 0,
  handlesLeft: 0,
  crashes: 0,
};
const injected = new Map<Fault, number>();
const endings = new Map<string, number>();
const growth: NonNullable<ReturnType<typeof fitSlopes>>[] = [];
const details: string[] = [];

while (Date.now() < endMs) {
  await soakSession(total.sessions === 0 ? Number(values.turns) : 0);
  total.sessions++;
}
print();
process.exit(Object.values(wrong).some((count) => count > 0) ? 1 : 0);

/** `longTurns`: the turns of a long session; 0: a session of a few lives. */
async function soakSession(longTurns: number): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "soak-"));
  mkdirSync(join(root, "sessions"));
  const model = random.pick(models);
  const api = new FakeApi({
    responder: randomResponder(random, longTurns > 0 ? 0.88 : 0.75),
    model: { windowTokens: random.pick([40_000, 60_000, 100_000]) },
    keepRequests: 1,
  });
  const share = longTurns > 0 ? 0.05 : random.pick([0, 0.05, 0.2, 0.4]);
  const count = (fault: Fault) => injected.set(fault, (injected.get(fault) ?? 0) + 1);
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: faulty(keepingRefused(api, root), random, share, count),
  });
  const acknowledged = new Map<string, string>();
  const session = { url: `http://127.0.0.1:${server.port}`, root, model, acknowledged };
  let lives = 1 + random.below(8);
  let turns = 0;
  while (Date.now() < endMs && (longTurns > 0 ? turns < longTurns : lives-- > 0)) {
    const prompts = longTurns > 0 ? longTurns - turns : random.pick([5, 50, 200, 1_000]);
    turns += await live(session, Math.min(1_000, prompts));
  }
  await server.stop(true);
  // A killed client breaks its connection; that is not a fault.
  const faults = api.failures.filter((message) => message !== "The connection was closed.");
  wrong.refused += api.refusals.length + faults.length;
  for (const message of new Set([...api.refusals, ...faults]))
    details.push(`refused in ${root}: ${message}`);
  total.acknowledged += acknowledged.size;
  checkRuns(root);
  if (!values.keep) rmSync(root, { recursive: true, force: true });
}

/** With --keep the first refused request of a session is written to its folder. */
function keepingRefused(api: FakeApi, root: string): typeof api.handle {
  return async (request) => {
    const before = api.refusals.length;
    const response = await api.handle(request);
    const body = api.requests.at(-1)?.body;
    if (values.keep && before === 0 && api.refusals.length > 0)
      await Bun.write(join(root, "refused.json"), JSON.stringify(body));
    return response;
  };
}

type SoakSession = { url: string; root: string; model: string; acknowledged: Map<string, string> };

/** One process, from its start or resume to its end. Returns the turns that it ended. */
async function live(
  { url, root, model, acknowledged }: SoakSession,
  prompts: number,
): Promise<number> {
  total.lives++;
  const end = random.pick(["finish", "finish", "term", "kill", "kill"]);
  const args = [url, root, String(random.below(2 ** 31)), String(prompts), model];
  const worker = Bun.spawn(
    [process.execPath, join(import.meta.dir, "soak", "worker.ts"), ...args],
    {
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: root,
        SOAK: root,
      },
    },
  );
  const stderr = new Response(worker.stderr).text();
  const budget = setTimeout(() => worker.kill("SIGTERM"), Math.max(1_000, endMs - Date.now()));
  const killAfter = end === "finish" ? Number.POSITIVE_INFINITY : 1 + random.below(prompts * 12);
  let events = 0;
  let closed = false;
  let turns = 0;
  const samples: Sample[] = [];
  for await (const line of readLines(worker.stdout)) {
    const one = reportSchema.parse(JSON.parse(line));
    if (one.id !== undefined) acknowledged.set(one.id, one.hash ?? "");
    if (one.type === "result") total.toolCalls++;
    if (one.type === "cut") total.compactions++;
    if (one.idle !== undefined) {
      turns++;
      const why = `${one.idle} ${(one.message ?? "").slice(0, 70)}`.trim();
      endings.set(why, (endings.get(why) ?? 0) + 1);
    }
    if (one.memory) samples.push(one.memory);
    for (const path of one.open ?? []) details.push(`handle left: ${path}`);
    wrong.handlesLeft += one.open?.length ?? 0;
    closed ||= one.closed === true;
    if (++events === killAfter) worker.kill(end === "kill" ? "SIGKILL" : "SIGTERM");
  }
  clearTimeout(budget);
  await worker.exited;
  if (worker.signalCode === "SIGKILL") total.kills++;
  // Before the worker has started, SIGTERM simply ends it.
  else if (!closed && (events > 0 || worker.signalCode !== "SIGTERM")) {
    wrong.crashes++;
    details.push(`crashed (${worker.exitCode}): ${(await stderr).slice(-600)}`);
  }
  const slopes = fitSlopes(samples);
  if (slopes) growth.push(slopes);
  total.turns += turns;
  checkLog(root, acknowledged);
  checkLeftovers(root, closed);
  return turns;
}

function checkLog(root: string, acknowledged: ReadonlyMap<string, string>): void {
  if (acknowledged.size === 0) return;
  const { byId } = readLog(join(root, "sessions", "soak.jsonl"));
  for (const [id, hash] of acknowledged) {
    const line = JSON.stringify(byId.get(id) ?? null);
    if (Bun.hash(line).toString(36) === hash) continue;
    wrong.lost++;
    details.push(`lost: ${id} of ${root}`);
  }
}

function checkRuns(root: string): void {
  const ids = readFileSync(join(root, "ran"), { encoding: "utf8", flag: "a+" })
    .split("\n")
    .slice(0, -1);
  const seen = new Set<string>();
  const twice = ids.filter((id) => seen.size === seen.add(id).size);
  wrong.ranTwice += twice.length;
  for (const id of twice) details.push(`ran twice: ${id}`);
}

/** A killed process cannot clean up; its children are ended here. */
function checkLeftovers(root: string, closed: boolean): void {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    if (!readEnvironment(pid).includes(`SOAK=${root}\0`)) continue;
    if (closed) {
      wrong.childrenLeft++;
      details.push(`child left: ${pid}`);
    }
    process.kill(Number(pid), "SIGKILL");
  }
  if (!closed) return;
  const locks = readdirSync(join(root, "sessions")).filter((name) => name.includes("lock"));
  wrong.locksLeft += locks.length;
  for (const name of locks) details.push(`lock left: ${name}`);
}

function readEnvironment(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    return "";
  }
}

async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    const lines = (text + decoder.decode(chunk, { stream: true })).split("\n");
    text = lines.pop() ?? "";
    yield* lines;
  }
}

function print(): void {
  const list = (counts: ReadonlyMap<string, number>): string =>
    [...counts].map(([name, count]) => `${name} ${count}`).join(", ");
  console.log(`seed ${values.seed}, ${values.minutes} min: ${JSON.stringify(total)}`);
  console.log(`injected: ${list(injected)}`);
  console.log("turns ended:");
  for (const [why, count] of [...endings].sort((a, b) => b[1] - a[1]).slice(0, 12))
    console.log(`  ${count} ${why}`);
  console.log(describeGrowth(growth));
  console.log(scaled);
  console.log(`wrong: ${JSON.stringify(wrong)}`);
  for (const line of details.slice(0, 20)) console.log(`  ${line}`);
}
