/** New errors after an edit, reported by a small language server. */

import { afterAll, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  openDiagnostics,
  type Diagnostics,
} from "../../../src/extensions/diagnostics/diagnostics.ts";
import { blockText } from "../../../src/protocol/block.ts";
import { attempt } from "../../../src/base/guards.ts";

const folders: string[] = [];
const open: Diagnostics[] = [];
afterAll(async () => {
  await Promise.all(open.map((one) => one.close()));
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const server = join(import.meta.dir, "small-server.ts");

/** A project, and a language server whose program has this name. */
function project(way = "push", { program = "gopls", waitMs = 30_000 } = {}) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "diagnostics-")));
  folders.push(root);
  const bin = join(root, "bin");
  const launches: string[] = [];
  const diagnostics = openDiagnostics({
    root,
    cwd: root,
    PATH: bin,
    async launch([path = ""], folder) {
      launches.push(path);
      const start = ["/bin/sh", "-c", 'echo $$ > pid; exec "$@"', "-"];
      return { command: [...start, process.execPath, server, way], cwd: folder, env: {} };
    },
    settleMs: 0,
    waitMs,
  });
  open.push(diagnostics);
  return {
    root,
    launches,
    diagnostics,
    async install(): Promise<void> {
      await Bun.write(join(bin, program), "#!/bin/sh\n");
      chmodSync(join(bin, program), 0o755);
    },
    async edit(file: string, before: string | null, after: string): Promise<void> {
      const path = join(root, file);
      await Bun.write(path, after);
      diagnostics.changed({ path, before, after });
    },
    async news(signal = new AbortController().signal): Promise<string> {
      const facts = await diagnostics.news(signal);
      return facts.map(({ content }) => blockText(content)).join("\n");
    },
  };
}

test("only errors that an edit caused are reported, each of them once", async () => {
  const { install, edit, news } = project();
  await install();
  await edit("a.go", "old and wrong\nfine\n", "fine\nold and wrong\nnew and wrong\n");
  expect(await news()).toBe("New errors, reported by gopls:\na.go:3:1 new and wrong [E1]");
  expect(await news()).toBe("");
  await edit("a.go", "", "old and wrong\nnew and wrong\n");
  expect(await news()).toBe("");
  await edit("a.go", "", "old and wrong\n");
  await edit("a.go", "", "old and wrong\nnew and wrong\n");
  expect(await news()).toBe("");
  await edit("a.go", "", "old and wrong\n");
  expect(await news()).toBe("");
  await edit("a.go", "", "new and wrong\n");
  expect(await news()).toContain("a.go:1:1 new and wrong");
});

test("every error of a new file is new, and errors that it causes elsewhere are reported", async () => {
  const { install, edit, news } = project();
  await install();
  await edit("a.go", "", "fine");
  expect(await news()).toBe("");
  await edit("b.go", null, "wrong from the start\nother c.go\n");
  const text = await news();
  expect(text).toContain("b.go:1:1 wrong from the start");
  expect(text).toContain("c.go:5:1 no longer fits");
});

test("a server's first reports about other files count as older errors", async () => {
  const { install, edit, news } = project();
  await install();
  await edit("a.go", "other c.go\n", "other c.go\nwrong\n");
  expect(await news()).toBe("New errors, reported by gopls:\na.go:2:1 wrong [E1]");
  const other = project();
  await other.install();
  await other.edit("a.go", "fine\n", "fine\nother c.go\n");
  expect(await other.news()).toContain("c.go:5:1 no longer fits");
});

test("reports without a version are accepted", async () => {
  const program = "typescript-language-server";
  const { install, edit, news } = project("unversioned", { program });
  await install();
  await edit("a.ts", "wrong already\n", "wrong already\nwrong too\n");
  expect(await news()).toBe(`New errors, reported by ${program}:\na.ts:2:1 wrong too [E1]`);
});

test("a silent server is waited for once, and errors that come late are reported later", async () => {
  const { install, edit, news, diagnostics } = project("silent", { waitMs: 1 });
  await install();
  await edit("a.go", "", "wrong");
  expect(await news()).toBe("");
  const never = new AbortController().signal;
  expect(await diagnostics.news(never)).toEqual([]);
});

test("a server that has ended is not waited for", async () => {
  const { install, edit, news } = project("crash", { waitMs: 2 ** 30 });
  await install();
  await edit("a.go", "", "wrong");
  expect(await news()).toBe("");
  await edit("a.go", "wrong", "wrong again");
  expect(await news()).toBe("");
});

test("a stopped turn does not wait", async () => {
  const { install, edit, news } = project("silent");
  await install();
  await edit("a.go", "", "wrong");
  expect(await news(AbortSignal.abort())).toBe("");
});

test("a server ends with its session, and none is started after that", async () => {
  const { install, edit, news, diagnostics, root, launches } = project();
  await install();
  await edit("a.go", "", "wrong");
  await news();
  const pid = Number(await Bun.file(join(root, "pid")).text());
  process.kill(pid, 0);
  await diagnostics.close();
  // It has ended; the runtime may not have collected its exit code yet.
  while (attempt(() => process.kill(pid, 0), false)) await Bun.sleep(5);
  await edit("a.go", "wrong", "wrong again");
  expect(launches).toHaveLength(1);
});

test("no server is started before an edit, for another language or a long file, or when none is installed", async () => {
  const { edit, install, news, launches } = project();
  await edit("a.go", "", "wrong");
  expect(await news()).toBe("");
  const other = project();
  await other.install();
  expect(await other.news()).toBe("");
  await other.edit("a.txt", "", "wrong");
  await other.edit("long.go", "", `wrong${" ".repeat(1_000_000)}`);
  expect(await other.news()).toBe("");
  await install();
  expect([...launches, ...other.launches]).toEqual([]);
});

test("a file outside the trusted folder starts nothing", async () => {
  const { install, diagnostics, launches } = project();
  await install();
  diagnostics.changed({ path: "/elsewhere/a.go", before: "", after: "wrong" });
  expect(await diagnostics.news(new AbortController().signal)).toEqual([]);
  expect(launches).toEqual([]);
});

test("what a hostile server sends is limited and cleaned", async () => {
  const flooded = project("flood");
  await flooded.install();
  await flooded.edit("a.go", null, "fine");
  const text = await flooded.news();
  expect(text.split("\n")).toHaveLength(22);
  expect(text).toEndWith("more errors");
  expect(text).not.toContain("\u001b");
});
