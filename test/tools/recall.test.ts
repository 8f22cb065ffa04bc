/** Recall over real logs: what is found, how it is opened, and what is never shown. */

import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Archive } from "../../src/log/catalog.ts";
import { createLog, type LogStore } from "../../src/log/store.ts";
import type { Fact } from "../../src/protocol/entry.ts";
import { noUsage } from "../../src/protocol/model.ts";
import type { ToolInput } from "../../src/protocol/block.ts";
import { answer, makeReport } from "../facts.ts";
import { sessionFact, userFact } from "../log/facts.ts";
import { emptySession, leave, room } from "./room.ts";

const root = mkdtempSync(join(tmpdir(), "recall-"));
const results = join(root, "tool-results");
const sessions = join(root, "sessions");
afterAll(async () => {
  await leave();
  rmSync(root, { recursive: true });
});

const hashText = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest("hex");

const calls = (id: string, name: string, input: Record<string, unknown>): Fact =>
  answer(noUsage, [{ type: "tool_use", id, name, input }]);

const gives = (toolUse: string, tool: string, text: string, more: object = {}): Fact =>
  makeReport({ toolUse, tool, content: [{ type: "text", text }], ...more });

let serial = 0;
async function open(...facts: Fact[]) {
  const log = createLog(sessions, `s${++serial}`);
  await log.append({ ...sessionFact(log.session), cwd: root });
  for (const fact of facts) await log.append(fact);
  return { log, ...(await recalling(log)) };
}

let asking: string | null = null;

async function recalling(log: LogStore) {
  const at = await room({
    workspace: root,
    resultsDir: results,
    clock: { now: () => Date.now() + 120_000 },
    session: { ...emptySession, memory: new Archive(log, results), asking: () => asking },
  });
  const recall = (input: ToolInput): Promise<string> => at.say("Recall", input);
  const close = () => log.close();
  return { recall, close };
}

test("messages and results are found, with their call, their age, and what changed since", async () => {
  const file = join(root, "a.ts");
  await Bun.write(file, "export const harbour = 1;");
  const stamp = { path: file, does: "read", hash: hashText("export const harbour = 1;"), bytes: 1 };
  const { recall, close } = await open(
    userFact("Where is the harbour?"),
    calls("c1", "Read", { file_path: "a.ts" }),
    gives("c1", "Read", "export const harbour = 1;", { stamps: [stamp] }),
  );
  const fresh = await recall({ query: "harbour" });
  expect(fresh).toContain("#e2  2 minutes ago  the user said");
  expect(fresh).toContain('#e4  2 minutes ago  result of Read {"file_path":"a.ts"}');
  expect(fresh).not.toContain("since");
  await Bun.write(file, "changed");
  expect(await recall({ query: "harbour" })).toContain("a.ts changed since");
  rmSync(file);
  expect(await recall({ open: "#e4" })).toContain(
    "[a.ts was deleted since]\nexport const harbour = 1;",
  );
  mkdirSync(file);
  expect(await recall({ query: "harbour" })).toContain("a.ts changed since");
  rmdirSync(file);
  await close();
});

test("a saved result is found and opened page by page; a file elsewhere is not read", async () => {
  const whole = Array.from({ length: 900 }, (_, n) => `line ${n + 1}`);
  whole[700] = "the needle lies here";
  const kept = join(results, "1-bash-x.txt");
  await Bun.write(kept, whole.join("\n"));
  const secret = join(root, "secret.txt");
  await Bun.write(secret, "needle of a stranger, and more than the preview says");
  const { recall, close } = await open(
    gives("c1", "Bash", "line 1\nline 2", { file: kept }),
    gives("c2", "Bash", "short", { file: secret }),
  );
  const found = await recall({ query: "needle" });
  expect(found).toContain("#e2");
  expect(found).toContain("the needle lies here");
  expect(found).not.toContain("stranger");
  const page = await recall({ open: "#e2", offset: 700, limit: 3 });
  expect(page).toContain("line 700\nthe needle lies here\nline 702\n[Lines 700-702 of 900.");
  expect(await recall({ open: "#e2" })).toEndWith(
    "line 200\n[Lines 1-200 of 900. Continue with offset 201.]",
  );
  // The line that does not fit begins the next page.
  await Bun.write(kept, `${"x".repeat(200)}\n`.repeat(200));
  const long = await recall({ open: "#e2" });
  expect(long).toEndWith("xx\n[Lines 1-119 of 200. Continue with offset 120.]");
  await Bun.write(kept, whole.join("\n"));
  expect(await recall({ open: "#e2", offset: 5, limit: 1 })).toContain("[Lines 5-5 of 900.");
  const past = await recall({ open: " #e2 ", offset: 5_000 });
  expect(past).toMatch(/^\[#e2, 2 minutes ago, .*\]\n[^]*\[It has 900 lines\.\]/);
  expect(await recall({ open: "e3" })).not.toContain("stranger");
  await close();
});

test("searches do not find searches, and a search without a match says so", async () => {
  const { log, recall, close } = await open(
    userFact("lighthouse"),
    calls("c1", "Recall", { query: "lighthouse" }),
    gives("c1", "Recall", "#e2 lighthouse"),
  );
  const found = await recall({ query: "lighthouse" });
  expect(found.split("\n").filter((line) => line.startsWith("#"))).toHaveLength(1);
  for (let n = 0; n < 21; n++) await log.append(userFact(`beacon ${n}`));
  const hits = async (limit?: number) =>
    (await recall({ query: "beacon", ...(limit && { limit }) })).match(/^#/gm)?.length;
  expect([await hits(), await hits(5), await hits(50)]).toEqual([8, 5, 20]);
  expect(await recall({ query: "absent" })).toContain("No matches in this session");
  asking = "e2";
  expect(await recall({ query: "lighthouse" })).toContain("No matches in this session");
  asking = null;
  expect(await recall({})).toContain("needs `query`");
  expect(await recall({ open: "#e99" })).toContain("There is no #e99");
  expect(await recall({ open: "../../secret#e1" })).toContain("There is no");
  expect(await recall({ open: "..#e1" })).toContain("There is no");
  await close();
});

test("other sessions of the project are searched when asked for, and opened by their names", async () => {
  const stamps = [{ path: "/none/a.ts", does: "read", hash: "", bytes: 1 }];
  const first = await open(
    userFact("the anchor chain"),
    gives("c1", "Read", "a second anchor", { stamps }),
  );
  const { session } = first.log;
  await first.close();
  const second = await open(userFact("hello"));
  expect(await second.recall({ query: "anchor" })).toContain('scope "project"');
  const found = await second.recall({ query: "anchor", scope: "project" });
  expect(found).toContain(`${session}#e2  2 minutes ago  the user said`);
  expect(found).toContain(`${session}#e3  2 minutes ago  result of Read /none/a.ts`);
  expect(await second.recall({ query: "anchor", scope: "project", limit: 1 })).not.toContain("#e2");
  expect(await second.recall({ query: "absent", scope: "project" })).toBe(
    "No matches in the project's earlier sessions.",
  );
  expect(await second.recall({ open: `${session}#e2` })).toContain("the anchor chain");
  await second.close();
});
