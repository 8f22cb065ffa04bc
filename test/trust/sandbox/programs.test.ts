import { afterAll, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { programFolders } from "../../../src/trust/sandbox/sandbox.ts";
import { leave, temporaryFolder } from "../../tools/room.ts";

afterAll(leave);

function program(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "#!/bin/sh\n", { mode: 0o755 });
}

test("folders of programs that links on the path lead to are shown, the home never", async () => {
  const top = temporaryFolder();
  const home = join(top, "home");
  const bin = join(top, "usr/bin");
  mkdirSync(bin, { recursive: true });
  program(join(home, ".tools/x/bin/x"));
  program(join(home, "bin/own"));
  program(join(home, ".tools/x/lib/y/y"));
  program(join(home, ".npm/lib/node_modules/tsc/bin/tsc"));
  program(join(home, "single"));
  program(join(top, "opt/open/bin/open"));
  mkdirSync(join(home, ".shims"));
  symlinkSync(join(home, ".tools/x/bin/x"), join(home, ".shims/x"));
  for (const [name, target] of [
    ["x", join(home, ".shims/x")],
    ["y", join(home, ".tools/x/lib/y/y")],
    ["own", join(home, "bin/own")],
    ["tsc", join(home, ".npm/lib/node_modules/tsc/bin/tsc")],
    ["open", join(top, "opt/open/bin/open")],
    ["gone", join(home, "gone")],
    ["loop", "loop"],
  ] as const) {
    symlinkSync(target, join(bin, name));
  }
  const isHidden = (path: string) => path === home || path.startsWith(`${home}/`);
  const found = await programFolders([bin, join(home, "bin"), "/nowhere"], isHidden, home);
  expect(found.map((folder) => folder.slice(home.length)).toSorted()).toEqual([
    "/.npm/lib/node_modules",
    "/.shims",
    "/.tools/x",
    "/bin",
  ]);
});
