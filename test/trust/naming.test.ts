/** What a command line names is the command's; what else changes while somebody is at work may be theirs. */

import { afterAll, expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { leave, room } from "../tools/room.ts";

afterAll(leave);

/** A room in which somebody is at work, beside a script that writes to these files. */
async function busy(script: string, paths: readonly string[]) {
  const at = await room();
  const writes = paths.map((path) => `echo $RANDOM$RANDOM > ${join(at.root, path)}`);
  chmodSync(at.put(script, `#!/bin/bash\n${writes.join("\n")}\n`), 0o755);
  for (const path of paths) at.put(path, "old\n");
  await at.run("Bash", { command: "echo first > first" });
  return async (command: string): Promise<Record<string, boolean>> => {
    at.put("notes", crypto.randomUUID());
    const { checkpoint = [] } = await at.run("Bash", { command });
    return Object.fromEntries(
      checkpoint.map(({ path, unsure }) => [path.slice(at.root.length + 1), unsure !== true]),
    );
  };
}

test("files of the command are sure, others are not", async () => {
  const run = await busy("write.sh", ["src/a.ts"]);
  for (const [command, isOwn] of [
    ["sed -i s/old/new/ src/a.ts", true],
    ["sed -i s/new/newer/ src/*.ts", true],
    ["cd src && echo 1 > a.ts; cd ..", true],
    ["for f in src/a.ts; do echo 2 > $f; done", true],
    ["bash <<'END'\necho 3 > src/a.ts\nEND", true],
    ["for i in $(echo a); do echo 4 > src/$i.ts; done", true],
    ["bash write.sh src/$NONE $OTHER", false],
    ["bash write.sh src", true],
    ["bash write.sh", false],
    ["bash write.sh .", false],
    // Readers and tests are given the files that they read.
    ["grep -rn old src > /dev/null; bash write.sh", false],
    ["node --test src/a.ts; bash write.sh", false],
  ] as const)
    expect([command, await run(command)]).toEqual([command, { "src/a.ts": isOwn }]);
});

test("a package manager writes its manifest", async () => {
  const run = await busy("npm", ["package.json", "sub/package.json"]);
  for (const [command, own] of [
    ["./npm install left-pad", "package.json"],
    ["./npm test", null],
    ["cd sub && ../npm i", "sub/package.json"],
  ] as const) {
    const files = { "package.json": false, "sub/package.json": false };
    expect(await run(command)).toEqual(own === null ? files : { ...files, [own]: true });
  }
});
