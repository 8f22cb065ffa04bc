import { expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeTemporary } from "../../src/base/own-temporary.ts";
import { processSpace, processStart } from "../../src/base/processes.ts";

const space = processSpace();

test.skipIf(process.platform !== "linux")(
  "folders of processes that have ended go, those of others stay",
  async () => {
    expect(space).toMatch(/^\d+$/);
    const root = mkdtempSync(join(tmpdir(), "own-temporary-"));
    const folder = (name: string): string => {
      mkdirSync(join(root, name, "tmp"), { recursive: true });
      writeFileSync(join(root, name, "tmp/file"), "");
      return join(root, name);
    };
    const ours = makeTemporary(root);
    // This process has another start, and no process has such an id.
    const reused = folder(`mini-claude-${space}-${process.pid}-1-abcdef`);
    const ended = folder(`mini-claude-${space}-99999999-1-abcdef`);
    const runs = folder(
      `mini-claude-${space}-${process.ppid}-${processStart(process.ppid)}-abcdef`,
    );
    const elsewhere = folder(`mini-claude-1-99999999-1-abcdef`);
    const unknown = folder("mini-claude-abcdef");
    makeTemporary(root);
    while ([reused, ended].some((path) => existsSync(path))) await Bun.sleep(1);
    expect([ours, runs, elsewhere, unknown].filter((path) => !existsSync(path))).toEqual([]);
    rmSync(root, { recursive: true });
  },
);
