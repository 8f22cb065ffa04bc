/** Where commands cannot be confined, the reason and the way out are named. */

import { afterAll, expect, test } from "bun:test";
import { chownSync } from "node:fs";
import { join } from "node:path";
import { confinerFor } from "../../../src/trust/sandbox/sandbox.ts";
import { leave, room, temporaryFolder } from "../../tools/room.ts";

afterAll(leave);

const isRoot = process.getuid?.() === 0;

test("a folder that holds the system is not one to confine commands in", async () => {
  expect(await confinerFor(["/"], "/home/me")).toMatchObject({ why: expect.any(String) });
});

test.skipIf(!isRoot)(
  "root in the home of another user runs commands, after a question",
  async () => {
    const home = temporaryFolder();
    chownSync(home, 65534, 65534);
    expect(await confinerFor([temporaryFolder()], home)).toMatchObject({
      why: expect.stringContaining("another user"),
      fix: expect.any(String),
    });
    const childEnv = { PATH: process.env["PATH"] ?? "", HOME: home };
    const at = await room({ home, childEnv, mode: "auto" });
    const command = "echo new > made; cat made";
    expect((await at.review("Bash", { command })).verdict).toBe("ask");
    expect(await at.bash(command)).toBe("new");
    expect(await Bun.file(join(at.root, "made")).text()).toBe("new\n");
  },
);
