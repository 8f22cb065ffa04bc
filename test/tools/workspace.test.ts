import { afterAll, expect, test } from "bun:test";
import fc from "../properties.ts";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";
import { ToolError } from "../../src/tools/tool.ts";
import { holds, openWorkspace } from "../../src/tools/workspace.ts";
import { leave, temporaryFolder } from "./room.ts";

afterAll(leave);

async function open() {
  const top = temporaryFolder();
  for (const name of ["ws/src", "ws-other", "added", "out", "home", "results"]) {
    mkdirSync(join(top, name), { recursive: true });
  }
  writeFileSync(join(top, "out", "secret"), "");
  const workspace = await openWorkspace({
    workspace: join(top, "ws"),
    added: [join(top, "added")],
    results: join(top, "results"),
    home: join(top, "home"),
    ownResults: [join(top, "results", "resumed.txt")],
  });
  return {
    top,
    workspace,
    link: (name: string, to: string) => symlinkSync(to, join(top, "ws", name)),
  };
}

test.each([
  ["src", "workspace"],
  [".", "workspace"],
  ["src/../src/new/deep.ts", "workspace"],
  ["..name", "workspace"],
  ["..", "outside"],
  ["../ws-other/x", "outside"],
  ["../added/x", "added"],
  ["../results/x", "outside"],
  ["/etc/passwd", "outside"],
  ["~x", "workspace"],
  ["src/../../out/secret", "outside"],
])("%j lies in: %s", async (given, area) => {
  const { top, workspace } = await open();
  const seen: string = (await workspace.locate(given)).area;
  expect(seen).toBe(area);
  for (const [home, path] of [
    ["~", "home"],
    ["~/x", "home/x"],
  ] as const)
    expect(await workspace.locate(home)).toMatchObject({ path: join(top, path), area: "outside" });
});

test("symlinks are resolved in every path segment", async () => {
  const { top, workspace, link } = await open();
  link("file", join(top, "out", "secret"));
  link("folder", "../out");
  link("dangling", join(top, "out", "new"));
  link("chain", "dangling");
  link("inside", "src");
  link("missing-parent", join(top, "out", "no", "such"));
  const areas: Record<string, string> = {};
  for (const path of [
    "file",
    "folder/secret",
    "folder/new/x",
    "dangling",
    "chain",
    "missing-parent/x",
    "inside/x",
  ]) {
    areas[path] = (await workspace.locate(path)).area;
  }
  expect(areas).toEqual({
    file: "outside",
    "folder/secret": "outside",
    "folder/new/x": "outside",
    dangling: "outside",
    chain: "outside",
    "missing-parent/x": "outside",
    "inside/x": "workspace",
  });
});

test.each(["", "  ", "a\0b", "x".repeat(5000)])("%j is refused with a sentence", async (given) => {
  const { workspace } = await open();
  await expect(workspace.locate(given)).rejects.toThrow(ToolError);
});

test("links in a circle are refused", async () => {
  const { workspace, link } = await open();
  link("a", "b");
  link("b", "a");
  await expect(workspace.locate("a/x")).rejects.toThrow("loop");
});

test("no spelling of a path escapes unnoticed", async () => {
  const { top, workspace, link } = await open();
  link("way", "../out");
  const part = fc.constantFrom("..", ".", "src", "way", "", "secret", "~", "x");
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 8 }), async (parts) => {
      const given = parts.join(sep);
      if (given.trim() === "") return;
      const place = await workspace.locate(given);
      expect(place.area === "workspace").toBe(holds(join(top, "ws"), place.path));
      expect((await workspace.locate(place.path)).path).toBe(place.path);
    }),
    { numRuns: 200 },
  );
});

test.each([
  ["/a", "/a/b", true],
  ["/a", "/a", true],
  ["/a", "/ab", false],
  ["/", "/a", true],
  ["/a", "/a/../b", false],
  ["/a/.", "/a/b", true],
  ["/a", "/a//b", true],
])("%s holds %s: %p", (folder, path, holding) => {
  expect(holds(folder, path)).toBe(holding);
});

test("only the result files of this session are accessible", async () => {
  const { workspace } = await open();
  const other = await workspace.locate("../results/other.txt");
  workspace.addResult(join(workspace.results, "own.txt"));
  const names = ["own.txt", "resumed.txt", "other.txt", "deep/own.txt", "", "own.txt/x"];
  const areas = names.map(async (name) => {
    const { area } = await workspace.locate(join(workspace.results, name));
    return area;
  });
  expect(await Promise.all(areas)).toEqual([
    "results",
    "results",
    "outside",
    "outside",
    "outside",
    "outside",
  ]);
  expect(other.area).toBe("outside");
});
