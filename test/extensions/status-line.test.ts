/** Whose status line is shown. */

import { expect, test } from "bun:test";
import { join } from "node:path";
import { settingSources } from "../../src/config/flags.ts";
import { defaultSettings } from "../../src/config/settings.ts";
import { findStatusLine } from "../../src/extensions/status-line.ts";
import { testFolder } from "../folder.ts";

const base = testFolder("status-line");
const root = join(base, "project");
const write = async (path: string, more: object) => {
  const statusLine = { type: "command", command: path };
  await Bun.write(join(base, path), JSON.stringify({ statusLine, ...more }));
};

const found = async (more: object = {}, isTrusted = true) =>
  (
    await findStatusLine({
      flags: { sources: settingSources },
      settings: { ...defaultSettings, ...more },
      paths: { settings: "/own.json", foreignSettings: [join(base, "user.json")] },
      project: { root, folder: join(root, "app"), isTrusted },
    })
  )?.command ?? null;

test("one's own comes first, then the inner folder's, then another agent's", async () => {
  await write("user.json", {});
  await write("project/.claude/settings.json", {});
  expect(await found()).toBe("project/.claude/settings.json");
  await write("project/app/.claude/settings.json", {});
  expect(await found()).toBe("project/app/.claude/settings.json");
  expect(await found({}, false)).toBe("user.json");
  expect(await found({ statusLine: { command: "own" } })).toBe("own");
  expect(await found({ statusLine: { command: "own" }, disableAllHooks: true })).toBeNull();
  await write("project/app/.claude/settings.json", { disableAllHooks: true });
  expect(await found()).toBe("project/.claude/settings.json");
  await write("user.json", { disableAllHooks: true });
  expect(await found({}, false)).toBeNull();
});
