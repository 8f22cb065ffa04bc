import { expect, test } from "bun:test";
import { dirname } from "node:path";

test("Ink loads one function of es-toolkit, not its whole compatibility layer", async () => {
  const folder = dirname(Bun.resolveSync("ink", import.meta.dir));
  const imports = new Set<string>();
  for await (const file of new Bun.Glob("**/*.js").scan({ cwd: folder, absolute: true }))
    for (const [, name = ""] of (await Bun.file(file).text()).matchAll(/from '(es-toolkit[^']*)'/g))
      imports.add(name);
  expect([...imports]).toEqual(["es-toolkit/compat/throttle"]);
});
