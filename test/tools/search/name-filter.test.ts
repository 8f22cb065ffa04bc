import { expect, test } from "bun:test";
import { nameFilter } from "../../../src/tools/search/query.ts";
import { findRipgrep, globOfType } from "../../../src/tools/search/ripgrep.ts";

test.each([
  ["*.ts", "a.ts", true],
  ["*.ts", "deep/er/a.ts", true],
  ["*.ts", "a.tsx", false],
  ["src/*.ts", "src/a.ts", true],
  ["src/*.ts", "lib/src/a.ts", false],
  ["./src/*.ts", "src/a.ts", true],
  ["/src/*.ts", "src/a.ts", true],
  ["/a.ts", "src/a.ts", true],
])("%s on %s: %p", (pattern, path, does) => {
  expect(nameFilter(pattern).matches(path)).toBe(does);
});

test("a pattern names hidden files by a dot that begins a name", () => {
  for (const pattern of [".env", "a/.git/*", "{.a,b}", "{a,.b}"])
    expect(nameFilter(pattern).hidden).toBe(true);
  for (const pattern of ["*.ts", "./a", "../a", "a.b/c"])
    expect(nameFilter(pattern).hidden).toBe(false);
});

test("an unknown type is an extension, and nothing else gets into its glob", async () => {
  const at = { folder: "/", signal: new AbortController().signal };
  const glob = (type: string) => globOfType(findRipgrep() ?? "rg", type, at);
  expect(await glob("ts")).toBe("{*.cts,*.mts,*.ts,*.tsx}");
  expect(await glob("python")).toBe("{*.py,*.pyi}");
  expect(await glob("constructor")).toBe("*.constructor");
  expect(await glob("a/*")).toBe("*.a??");
});

test("a type matches every name of its list, in any folder", () => {
  const { matches } = nameFilter("{*.mk,Makefile.*,[Mm]akefile}");
  for (const path of ["a/b.mk", "makefile", "sub/Makefile", "Makefile.am"])
    expect(matches(path)).toBe(true);
  expect(matches("a/b.c")).toBe(false);
});
