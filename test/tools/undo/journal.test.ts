/** What commands of killed sessions left is taken on once, and never lost. */

import { afterAll, beforeEach, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { recoverCommands } from "../../../src/tools/undo/journal.ts";
import { leave, temporaryFolder } from "../room.ts";

afterAll(leave);

let own: string;
let root: string;
let aside: string;

beforeEach(() => {
  [own, root] = [temporaryFolder(), temporaryFolder()];
  aside = join(own, "aside/1");
});

const change = (name: string) => ({ path: join(root, name), before: null, after: "a".repeat(64) });

/** What is left of a command. `session`: the name of its folder. */
function leaveCommand(changes: readonly object[], session = "4194400-1"): string {
  const folder = join(own, "layers", session, "c");
  const upper = join(folder, "view/0/upper");
  mkdirSync(upper, { recursive: true });
  writeFileSync(join(upper, "rest"), "not taken over");
  const lines = [{ roots: [root], aside }, ...changes].map((line) => `${JSON.stringify(line)}\n`);
  writeFileSync(join(folder, "journal"), lines.join(""));
  return folder;
}

const rest = (): string => join(aside, "rest/0/upper/rest");

test("its changes are returned, and the rest is where the user finds it", async () => {
  leaveCommand([change("a")]);
  const { files, told, close } = await recoverCommands(own, [root]);
  expect(files).toEqual([change("a")]);
  expect(told.join()).toContain(`what was not taken over is in ${aside}.`);
  expect(readFileSync(rest(), "utf8")).toBe("not taken over");
  close();
  expect((await recoverCommands(own, [root])).files).toEqual([]);
});

test("a session that is killed while it takes them on loses none to the next", async () => {
  const script = join(import.meta.dir, "../../faults/killed-recovery.ts");
  const recover = async (killAt: number): Promise<string> => {
    const command = [process.execPath, script, root, own, `${killAt}`];
    const child = Bun.spawn(command, { stdio: ["ignore", "pipe", "inherit"] });
    const out = await child.stdout.text();
    await child.exited;
    return out;
  };
  leaveCommand([change("a")]);
  const most = Number(await recover(0));
  expect(most).toBeGreaterThan(3);
  for (let at = 1; at <= most; at += 1) {
    [own, root] = [temporaryFolder(), temporaryFolder()];
    aside = join(own, "aside/1");
    leaveCommand([change("a")]);
    expect([at, await recover(at)]).toEqual([at, ""]);
    const { files, told } = await recoverCommands(own, [root]);
    expect([at, files]).toEqual([at, [change("a")]]);
    expect([at, told.join()]).toEqual([at, expect.stringContaining(aside)]);
    expect([at, existsSync(rest())]).toEqual([at, true]);
  }
});

test("what cannot be moved for want of room stays, and its changes are returned", async () => {
  leaveCommand([change("a")]);
  writeFileSync(join(own, "aside"), "");
  const { files, close } = await recoverCommands(own, [root]);
  expect(files).toEqual([change("a")]);
  close();
  const left = readdirSync(own, { recursive: true, encoding: "utf8" });
  expect(left.filter((name) => name.endsWith("upper/rest"))).toHaveLength(1);
});

test("what waited for an answer is told, even if nothing else is left", async () => {
  const folder = leaveCommand([]);
  mkdirSync(aside, { recursive: true });
  writeFileSync(join(aside, "1-.envrc"), "");
  await Bun.$`rm -r ${join(folder, "view")}`;
  expect((await recoverCommands(own, [root])).told.join()).toContain(`they are in ${aside}.`);
});

test("a journal that this version cannot read is left alone for a month", async () => {
  const folder = leaveCommand([]);
  const journal = join(folder, "journal");
  writeFileSync(journal, '{"format":2}\n');
  await recoverCommands(own, [root]);
  expect(existsSync(join(folder, "view/0/upper/rest"))).toBe(true);
  utimesSync(journal, 1, 1);
  await recoverCommands(own, [root]);
  expect(existsSync(folder)).toBe(false);
});

test.skipIf(!existsSync("/proc/self/ns/pid"))(
  "a session in another container, which may still run, is left alone",
  async () => {
    const here = /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "";
    const folder = leaveCommand([change("a")], `4194400-1-${Number(here) + 1}`);
    expect((await recoverCommands(own, [root])).files).toEqual([]);
    expect(existsSync(join(folder, "view/0/upper/rest"))).toBe(true);
    leaveCommand([change("a")], `4194400-1-${here}`);
    expect((await recoverCommands(own, [root])).files).toEqual([change("a")]);
  },
);

test.skipIf(!existsSync("/proc/self/stat"))(
  "a session of an earlier version that still runs is left alone",
  async () => {
    const stat = readFileSync("/proc/self/stat", "utf8");
    const began = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
    const folder = leaveCommand([change("a")], `${process.pid}-${began}`);
    expect((await recoverCommands(own, [root])).files).toEqual([]);
    expect(existsSync(join(folder, "view/0/upper/rest"))).toBe(true);
  },
);

test("a partial copy that was left in the workspace goes", async () => {
  leaveCommand([change("a")]);
  const part = join(root, `.4194400.${crypto.randomUUID()}.tmp`);
  mkdirSync(join(part, "deep"), { recursive: true });
  await recoverCommands(own, [root]);
  expect(readdirSync(root)).toEqual([]);
});
