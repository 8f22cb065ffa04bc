import { afterAll, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { findDanger } from "../../src/trust/danger/danger.ts";
import { removedInWords } from "../../src/trust/danger/removed.ts";

const root = await mkdtemp(join(tmpdir(), "removed-"));
afterAll(() => rm(root, { recursive: true, force: true }));
await mkdir(join(root, "dist", "deep"), { recursive: true });
for (const name of ["a", "deep/b", "deep/c"]) await Bun.write(join(root, "dist", name), "");
await symlink("/usr", join(root, "dist", "link"));

const words = (...names: string[]): Promise<string> =>
  removedInWords(
    names.map((name) => join(root, name)),
    (path) => basename(path),
  );

test("names what is removed and counts its files, without following links", async () => {
  expect(await words("dist")).toBe("dist, 4 files");
  expect(await words("dist/a", "missing")).toBe("a, missing, 1 file");
  expect(await words("missing")).toBe("missing");
  expect(await words("1", "2", "3")).toBe("1, 2, 3");
  expect(await words("1", "2", "3", "4", "5")).toBe("1, 2, 3, 2 more");
});

test("more than can be counted quickly is not counted to its end", async () => {
  const names = Array.from({ length: 2_600 }, () => "dist");
  expect(await words(...names)).toBe(
    "dist, dist, dist, 2597 more, more than can be counted quickly",
  );
});

test("patterns that only a shell can expand are not counted", async () => {
  expect(await words("d*")).toBe("d*");
  expect(await words("dist", "d*")).toBe("dist, d*");
});

test("a recursive removal says what it removes, from where it runs", () => {
  const home = { home: "/home/me", workspace: root };
  expect(findDanger("cd dist && rm -rf deep a", root, home)?.removes).toEqual([
    join(root, "dist", "deep"),
    join(root, "dist", "a"),
  ]);
  expect(findDanger("find src -delete", root, home)?.removes).toBeUndefined();
});
