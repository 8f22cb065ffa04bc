/** What a command line names is the command's; what else changes while somebody is at work may be theirs. */

import { afterAll, expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { leave, room } from "../tools/room.ts";

afterAll(leave);

test.each([
  ["sed -i s/old/new/ src/a.ts", true],
  ["sed -i s/old/new/ src/*.ts", true],
  ["cd src && echo new > a.ts", true],
  ["for f in src/a.ts; do echo new > $f; done", true],
  ["bash <<'END'\necho new > src/a.ts\nEND", true],
  ["for i in $(echo a); do echo new > src/$i.ts; done", true],
  ["sh write.sh src/$NONE $OTHER", false],
  ["sh write.sh src", true],
  ["sh write.sh", false],
  ["sh write.sh .", false],
  // Readers and tests are given the files that they read.
  ["grep -rn old src > /dev/null; sh write.sh", false],
  ["node --test src/a.ts; sh write.sh", false],
] as const)("%s", async (command, isOwn) => {
  const at = await room();
  at.put("write.sh", "echo new > src/a.ts\n");
  at.put("src/a.ts", "old\n");
  await at.run("Bash", { command: "echo first > first" });
  at.put("notes", "of somebody at work\n");
  const { checkpoint = [] } = await at.run("Bash", { command });
  expect(checkpoint.map(({ path, unsure }) => [path, unsure !== true])).toEqual([
    [join(at.root, "src/a.ts"), isOwn],
  ]);
});

test.each([
  ["./npm install left-pad", ["package.json", "sub/package.json"], "package.json"],
  ["cd sub && ../npm i", ["package.json", "sub/package.json"], "sub/package.json"],
  ["./npm test", ["package.json", "sub/package.json"], null],
])("a package manager writes its manifest: %s", async (command, paths, own) => {
  const at = await room();
  const writes = paths.map((path) => `echo '{}' > ${join(at.root, path)}`);
  at.put("npm", `#!/bin/sh\n${writes.join("\n")}\n`);
  chmodSync(join(at.root, "npm"), 0o755);
  for (const path of paths) at.put(path, "{ }\n");
  await at.run("Bash", { command: "echo first > first" });
  at.put("notes", "of somebody at work\n");
  const { checkpoint = [] } = await at.run("Bash", { command });
  const sure = checkpoint.filter(({ unsure }) => unsure !== true).map(({ path }) => path);
  expect(sure).toEqual(own === null ? [] : [join(at.root, own)]);
});
