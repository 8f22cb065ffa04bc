import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { listAllSessions } from "../../src/log/catalog.ts";
import { Checkpoints } from "../../src/log/checkpoints.ts";
import { prune } from "../../src/log/catalog.ts";
import { createLog } from "../../src/log/store.ts";
import { sessionFact } from "./facts.ts";
import { testFolder } from "../folder.ts";

const root = testFolder();
let serial = 0;
/** Sets all files to second 1,000; the limit is second 2,000. */
const beforeMs = 2_000_000;

function newHome() {
  const home = join(root, `${++serial}`);
  const folders = {
    sessions: join(home, "sessions"),
    toolResults: join(home, "results"),
    checkpoints: join(home, "checkpoints"),
  };
  const age = (file: string, second = 1_000): void => utimesSync(file, second, second);
  const result = (name: string): string => {
    mkdirSync(folders.toolResults, { recursive: true });
    const file = join(folders.toolResults, name);
    writeFileSync(file, name);
    age(file);
    return file;
  };
  const checkpoint = async (text: string): Promise<string> => {
    const hash = await new Checkpoints(folders.checkpoints).save(Buffer.from(text));
    age(join(folders.checkpoints, hash.slice(0, 2), hash));
    return hash;
  };
  /** A session that refers to a result and a checkpoint. */
  const session = async (name: string, file: string, hash: string): Promise<string> => {
    const log = createLog(join(folders.sessions, "p"), name);
    await Promise.all([
      log.append(sessionFact(name)),
      log.append({
        type: "result",
        toolUse: "t",
        tool: "x",
        content: [],
        bytes: 1,
        lines: 1,
        file,
      }),
      log.append({
        type: "checkpoint",
        toolUse: "t",
        files: [{ path: "a", before: hash, after: null }],
      }),
    ]);
    await log.close();
    age(log.file);
    return log.file;
  };
  const run = async () => prune(await listAllSessions(folders.sessions), beforeMs, folders);
  return { folders, age, result, checkpoint, session, run };
}

test("old sessions are removed, with the results and checkpoints that only they refer to", async () => {
  const home = newHome();
  const shared = home.result("shared.txt");
  const own = home.result("own.txt");
  const hash = await home.checkpoint("before");
  const old = await home.session("old", own, hash);
  const recent = await home.session("recent", shared, await home.checkpoint("kept"));
  home.age(recent, 2_000);
  expect(await home.run()).toEqual({ sessions: 1, results: 1, checkpointBytes: "before".length });
  expect([old, own, recent, shared].map((file) => existsSync(file))).toEqual([
    false,
    false,
    true,
    true,
  ]);
  expect(
    await new Checkpoints(home.folders.checkpoints).load(await home.checkpoint("kept")),
  ).toBeDefined();
  expect(await home.run()).toEqual({ sessions: 0, results: 0, checkpointBytes: 0 });
});

test("a session that another process has open is kept, however old", async () => {
  const home = newHome();
  const file = await home.session("open", home.result("a.txt"), await home.checkpoint("a"));
  writeFileSync(
    `${file}.lock`,
    JSON.stringify({ pid: process.ppid, started: "", host: hostname() }),
  );
  expect(await home.run()).toEqual({ sessions: 0, results: 0, checkpointBytes: 0 });
  expect(existsSync(file)).toBe(true);
});

test("recent results are kept, and a home spelled differently is the same home", async () => {
  const home = newHome();
  home.result("spelled.txt");
  await home
    .session("recent", "/another/spelling/results/spelled.txt", await home.checkpoint("a"))
    .then((file) => home.age(file, 3_000));
  home.age(home.result("recent.txt"), 2_000);
  home.age(home.result("old.txt"), 1_999);
  mkdirSync(join(home.folders.toolResults, "folder"));
  home.age(join(home.folders.toolResults, "folder"));
  expect(await home.run()).toMatchObject({ sessions: 0, results: 1 });
  expect(readdirSync(home.folders.toolResults).sort()).toEqual([
    "folder",
    "recent.txt",
    "spelled.txt",
  ]);
  expect(statSync(join(home.folders.toolResults, "recent.txt")).size).toBe(10);
});

test("a new home has nothing to prune", async () => {
  expect(await newHome().run()).toEqual({ sessions: 0, results: 0, checkpointBytes: 0 });
});
