import { expect, test } from "bun:test";
import { nameFilter } from "../../../src/tools/search/query.ts";

test.each([
  ["*.ts", "a.ts", true],
  ["*.ts", "deep/er/a.ts", true],
  ["*.ts", "a.tsx", false],
  ["src/*.ts", "src/a.ts", true],
  ["src/*.ts", "lib/src/a.ts", false],
  ["./src/*.ts", "src/a.ts", true],
  ["/src/*.ts", "src/a.ts", true],
  ["/a.ts", "src/a.ts", true],
  ["app/[slug]/*.ts", "app/[slug]/a.ts", true],
  ["app/[slug]/*.ts", "app/s/a.ts", true],
  ["**/[...all]/{x,y}.ts", "app/[...all]/y.ts", false],
  ["{a,b}/*.ts", "{a,b}/a.ts", true],
  ["(group)/*.ts", "(group)/a.ts", true],
])("%s on %s: %p", (pattern, path, does) => {
  expect(nameFilter(pattern).matches(path)).toBe(does);
});

test("a pattern names hidden files by a dot that begins a name", () => {
  for (const pattern of [".env", "a/.git/*", "{.a,b}", "{a,.b}"])
    expect(nameFilter(pattern).hidden).toBe(true);
  for (const pattern of ["*.ts", "./a", "../a", "a.b/c"])
    expect(nameFilter(pattern).hidden).toBe(false);
});
