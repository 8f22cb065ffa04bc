/** Whether there is a debug log, and in which file. */

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathsFor } from "../../src/config/paths.ts";
import { openDebugLog } from "../../src/run/start.ts";

const root = mkdtempSync(join(tmpdir(), "open-debugLog-"));
afterAll(() => rmSync(root, { recursive: true }));

const open = (
  variable: string,
  flags: { debug: boolean; debugFile?: string } = { debug: false },
) => {
  const env = { HOME: root, MINI_CLAUDE_HOME: join(root, "home"), MINI_CLAUDE_DEBUG: variable };
  return openDebugLog({ debugFile: undefined, ...flags }, env, pathsFor(env, root), root);
};

test.each(["", "0", "false", "NO", "off"])("MINI_CLAUDE_DEBUG=%s writes none", async (variable) => {
  expect(await open(variable)).toBeUndefined();
});

test.each(["1", "true", "YES", "on"])(
  "MINI_CLAUDE_DEBUG=%s writes one among the program's own files",
  async (variable) => {
    const debugLog = await open(variable);
    expect(dirname(debugLog?.file ?? "")).toBe(join(root, "home", "debug"));
    expect(readFileSync(debugLog?.file ?? "", "utf8")).toContain("mini-claude ");
  },
);

test("another value names the file, and a flag outranks it", async () => {
  expect((await open("here.log"))?.file).toBe(join(root, "here.log"));
  const flagged = await open("here.log", { debug: true, debugFile: "there.log" });
  expect(flagged?.file).toBe(join(root, "there.log"));
  expect((await open("here.log", { debug: true }))?.file).toBe(join(root, "here.log"));
});

test("--debug writes one whatever the variable says", async () => {
  for (const variable of ["", "0"]) {
    const debugLog = await open(variable, { debug: true });
    expect(dirname(debugLog?.file ?? "")).toBe(join(root, "home", "debug"));
  }
});
