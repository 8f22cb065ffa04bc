/** What macOS is asked to confine, in the terms of the sandbox runtime. */

import { SandboxManager, SandboxRuntimeConfigSchema } from "@anthropic-ai/sandbox-runtime";
import { afterAll, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../tools/room.ts";
import { sandboxHere } from "../sandbox-here.ts";
import { leaveSandboxes, sandboxOf } from "./open.ts";

afterAll(leaveSandboxes);

let root: string;
let home: string;

beforeEach(() => {
  const top = temporaryFolder();
  [root, home] = [join(top, "workspace"), join(top, "home")];
  for (const folder of [
    join(root, ".vscode"),
    join(root, ".git"),
    join(home, ".cargo/bin"),
    join(home, ".npm"),
  ])
    mkdirSync(folder, { recursive: true });
  writeFileSync(join(root, ".env"), "KEY=1\n");
  writeFileSync(join(root, ".git/config"), '[remote "o"]\n\turl = https://me:pw@x/y\n');
});

/** The lists of paths that the runtime gets for a command, and the command's variables. */
async function configOf(write: boolean) {
  const { confine, temporaryFolder } = await sandboxOf(root, home, {
    hiddenFilter: () => (name) => name === ".env",
  });
  using _initialize = spyOn(SandboxManager, "initialize").mockResolvedValue(undefined);
  using wrap = spyOn(SandboxManager, "wrapWithSandbox").mockResolvedValue("confined");
  const { platform } = process;
  Object.defineProperty(process, "platform", { value: "darwin" });
  try {
    const { before, variables, gate } = await confine({ write });
    gate?.close();
    expect(before).toEqual(["/bin/bash", "-c", 'confined "$@"', "bash"]);
    const network = { allowedDomains: [], deniedDomains: [] };
    const given = { network, ...wrap.mock.lastCall?.[2] };
    const {
      denyRead,
      allowRead = [],
      allowWrite,
      denyWrite,
    } = SandboxRuntimeConfigSchema.parse(given).filesystem;
    const [hidden = [], seen = [], written = [], fixed = []] = [
      denyRead,
      allowRead,
      allowWrite,
      denyWrite,
    ].map((entries) => entries.map((entry) => (typeof entry === "string" ? entry : entry.path)));
    return { hidden, seen, written, fixed, variables, temporary: await temporaryFolder() };
  } finally {
    Object.defineProperty(process, "platform", { value: platform });
  }
}

const caches = (path: string): boolean => path.startsWith(join(home, ".mini-claude/caches/"));

describe.skipIf(!sandboxHere)("on macOS", () => {
  test("the folder is writable, the home and secrets are not seen, settings of git are fixed", async () => {
    const { hidden, seen, written, fixed } = await configOf(true);
    for (const path of [
      home,
      join(root, ".env"),
      join(root, ".git/config"),
      join(home, ".npm/_logs"),
    ])
      expect(hidden).toContain(path);
    for (const path of [root, join(home, ".cargo/bin")]) expect(seen).toContain(path);
    expect(written).toContain(root);
    for (const path of [".vscode", ".git/hooks", ".env"]) expect(fixed).toContain(join(root, path));
  });

  test("a command that only reads writes to its own temporary folder and caches alone", async () => {
    const { written, temporary, variables } = await configOf(false);
    expect(written.filter((path) => !caches(path))).toEqual([temporary]);
    expect(variables["TMPDIR"]).toBe(temporary);
    expect(caches(variables["npm_config_cache"] ?? "")).toBe(true);
  });
});
