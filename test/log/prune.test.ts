/** `mini-claude sessions prune`: which files it removes. */

import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { pathsFor } from "../../src/config/paths.ts";
import { Checkpoints } from "../../src/log/checkpoints.ts";
import type { Fact } from "../../src/protocol/entry.ts";
import { sandbox } from "../bin.ts";
import { inProcess } from "../in-process.ts";
import { closedLog } from "../saved-session.ts";
import { resultFact, sessionFact } from "./facts.ts";

const box = inProcess(await sandbox("prune"));
afterAll(box.remove);
let serial = 0;

/** All files are made 40 days old; `prune` removes what is older than 30. */
function newHome() {
  const env = { MINI_CLAUDE_HOME: join(box.root, `home-${++serial}`) };
  const paths = pathsFor(env, box.project);
  const age = (file: string, days = 40): void => {
    const at = Date.now() / 1_000 - days * 86_400;
    utimesSync(file, at, at);
  };
  const result = (name: string, days?: number): string => {
    mkdirSync(paths.toolResults, { recursive: true });
    const file = join(paths.toolResults, name);
    writeFileSync(file, name);
    age(file, days);
    return file;
  };
  const checkpoint = async (text: string): Promise<string> => {
    const hash = await new Checkpoints(paths.checkpoints).save(Buffer.from(text));
    age(join(paths.checkpoints, hash.slice(0, 2), hash));
    return hash;
  };
  /** A session that refers to a result and to two checkpoints. */
  const session = async (name: string, file: string, texts: [string, string], days?: number) => {
    const [before, after] = [await checkpoint(texts[0]), await checkpoint(texts[1])];
    const files = [
      { path: "a", before, after: null },
      { path: "b", before: null, after },
    ];
    const facts = [sessionFact(name), { ...resultFact("t", ""), file }];
    const checkpoints: Fact = { type: "checkpoint", toolUse: "t", files };
    const log = await closedLog(paths.projectSessions, [...facts, checkpoints], name);
    age(log.file, days);
    return log.file;
  };
  const run = async (): Promise<string> => {
    const { out } = await box.run(["sessions", "prune", "--days", "30"], { env });
    return /^Removed (.*) of unreferenced checkpoints\.\n$/.exec(out)?.[1] ?? out;
  };
  const loads = async (hash: string) =>
    (await new Checkpoints(paths.checkpoints).load(hash)) !== undefined;
  return { paths, result, checkpoint, session, run, loads };
}

test("old sessions are removed, with the results and checkpoints that only they refer to", async () => {
  const home = newHome();
  expect(await home.run()).toBe("0 sessions, 0 results and 0 bytes");
  const [own, shared] = [home.result("own.txt"), home.result("shared.txt")];
  const old = await home.session("old", own, ["before", "kept-1"]);
  const recent = await home.session("recent", shared, ["kept-1", "kept-2"], 29);
  expect(await home.run()).toBe("1 session, 1 result and 6 bytes");
  const left = [old, own, recent, shared].map((file) => existsSync(file));
  expect(left).toEqual([false, false, true, true]);
  for (const text of ["kept-1", "kept-2"])
    expect(await home.loads(await home.checkpoint(text))).toBe(true);
  expect(await home.run()).toBe("0 sessions, 0 results and 0 bytes");
});

test("a session that another process has open is kept, however old", async () => {
  const home = newHome();
  const file = await home.session("open", home.result("a.txt"), ["a", "b"]);
  const lock = { pid: process.ppid, started: "", host: hostname() };
  writeFileSync(`${file}.lock`, JSON.stringify(lock));
  expect(await home.run()).toBe("0 sessions, 0 results and 0 bytes");
  expect(existsSync(file)).toBe(true);
});

test("recent results and folders are kept, and a home spelled differently is the same home", async () => {
  const home = newHome();
  home.result("spelled.txt");
  await home.session("recent", "/another/spelling/results/spelled.txt", ["a", "b"], 1);
  home.result("recent.txt", 29.9);
  home.result("old.txt", 30.1);
  mkdirSync(join(home.paths.toolResults, "folder"));
  utimesSync(join(home.paths.toolResults, "folder"), 1, 1);
  expect(await home.run()).toBe("0 sessions, 1 result and 0 bytes");
  const left = readdirSync(home.paths.toolResults).sort();
  expect(left).toEqual(["folder", "recent.txt", "spelled.txt"]);
});
