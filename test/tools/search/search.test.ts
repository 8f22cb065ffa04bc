import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { blockText, type ToolInput } from "../../../src/protocol/block.ts";
import { type Room, leave, room } from "../room.ts";

afterAll(leave);

/** Searches change nothing in it. */
const forest = await plant(await room());

function plant(at: Room): Room {
  mkdirSync(join(at.root, ".git"));
  at.put(".gitignore", "*.log\n/build/\nnode_modules\n!keep.log\n# comment\n");
  at.put("a.ts", "const needle = 1;\nother\nNEEDLE again\n");
  at.put("b.txt", "one\ntwo needle\nthree\nfour\nfive needle\nsix");
  at.put("crlf.txt", "x\r\nneedle$\r\ny\r\n");
  at.put("debug.log", "needle ignored");
  at.put("keep.log", "needle kept");
  at.put("build/out.ts", "needle built");
  at.put("src/build/in.ts", "needle deep build");
  at.put("src/.gitignore", "secret/\n!debug.log\n");
  at.put("src/secret/x.ts", "needle nested ignore");
  at.put("src/debug.log", "needle unignored");
  at.put("src/node_modules/m/index.js", "needle module");
  at.put("src/Z.ts", "needle upper");
  at.put("src/a b.ts", "needle blank");
  at.put("src/ä.ts", "needle umlaut\nfind ümlaut\n");
  at.put(".hidden.ts", "needle hidden");
  at.put(".config/c.ts", "needle hidden folder");
  at.put(".env", "needle=secret");
  at.put("key.pem", "needle private");
  at.put("binary.bin", "needle\0needle");
  at.put("late.bin", `needle\n${"x".repeat(200_000)}\0`);
  at.put("utf16.txt", Buffer.from("\uFEFFneedle wide\n", "utf16le"));
  at.put("bom.txt", "\uFEFFneedle first\n");
  at.put("empty.txt", "");
  writeFileSync(join(at.outside, "o.txt"), "needle outside");
  symlinkSync(join(at.outside, "o.txt"), join(at.root, "link.txt"));
  symlinkSync(at.outside, join(at.root, "linked"));
  symlinkSync(".", join(at.root, "loop"));
  return at;
}

describe("Grep", () => {
  test.concurrent("finds what it should and nothing else", async () => {
    const found = await forest.say("Grep", { pattern: "needle" });
    expect(found.split("\n")).toEqual([
      "a.ts",
      "b.txt",
      "bom.txt",
      "crlf.txt",
      "keep.log",
      // Text up to the match, as ripgrep lists it, too.
      "late.bin",
      "src/Z.ts",
      "src/a b.ts",
      "src/build/in.ts",
      "src/debug.log",
      "src/ä.ts",
      "utf16.txt",
    ]);
  });

  const [two, five] = ["b.txt:2:two needle", "b.txt:5:five needle"];
  const more = "[There is more. Narrow the search, or set head_limit.]";

  test.concurrent.each<[ToolInput, string]>([
    [{ "-C": 1 }, `b.txt-1-one\n${two}\nb.txt-3-three\nb.txt-4-four\n${five}\nb.txt-6-six`],
    [{ "-B": 1 }, `b.txt-1-one\n${two}\n--\nb.txt-4-four\n${five}`],
    [{ "-n": false, "-A": 1 }, "b.txt:two needle\nb.txt-three\n--\nb.txt:five needle\nb.txt-six"],
    [{ head_limit: 1 }, `${two}\n${more}`],
    [{ head_limit: 2 }, `${two}\n${five}`],
    [{ head_limit: 1, offset: 1 }, five],
    [{ offset: 2 }, "[There are only 2 lines of output.]"],
    [{ output_mode: "count", "-C": 1 }, "b.txt:2"],
    [{ path: ".", output_mode: "count", head_limit: 1 }, `a.ts:1\n${more}`],
    [{ path: ".", output_mode: "files_with_matches", head_limit: 1 }, `a.ts\n${more}`],
    [{ path: ".", output_mode: "files_with_matches", glob: "{.,}hidden.ts" }, ".hidden.ts"],
    [{ pattern: "NEEDLE" }, "No match in b.txt."],
    [{ pattern: "needle built", path: "." }, "No match in the workspace."],
    // Logs may hold a null byte.
    [{ path: "binary.bin", output_mode: "count" }, "binary.bin:1"],
    [{ pattern: "NEEDLE", "-i": true }, `${two}\n${five}`],
    [{ pattern: "three.four" }, "No match in b.txt."],
    [{ pattern: "three.four", multiline: true }, "b.txt:3:three\nb.txt:4:four"],
  ])("in a file, %j", async (input, text) => {
    const query = { pattern: "needle", path: "b.txt", output_mode: "content", ...input };
    expect(await forest.say("Grep", query)).toBe(text);
  });

  test.concurrent("leaves out files of more than 64 MB", async () => {
    const at = await room();
    truncateSync(at.put("large.txt", "needle\n"), 64 * 1024 ** 2 + 1);
    at.put("small.md", "needle\n");
    for (const output_mode of ["content", "count", "files_with_matches"]) {
      const query = { pattern: "needle", output_mode };
      expect(await at.say("Grep", query)).toStartWith("small.md");
      expect(await at.say("Grep", { ...query, glob: "*.txt" })).toBe("No match in the workspace.");
      const named = await at.say("Grep", { ...query, path: "large.txt" });
      expect(named).toContain("files above 67108864 are not searched");
    }
  });

  test.concurrent.each(["(", "[", "a{2,1}", "*"])("%j is refused as a pattern", async (pattern) => {
    const at = await room();
    const outcome = await at.run("Grep", { pattern });
    expect(outcome.isError).toBe(true);
    expect(blockText(outcome.content)).toMatch(/not a valid regular expression \(.+\); escape/s);
  });

  test.concurrent("says in a sentence where it cannot search", async () => {
    expect(await forest.say("Grep", { pattern: "x", path: "nowhere" })).toContain("does not exist");
    expect(await forest.say("Grep", { pattern: "a\nb" })).toContain("line by line");
    expect(await forest.say("Grep", { pattern: "x", path: "/dev/null" })).toContain(
      "neither a file",
    );
    const stop = new AbortController();
    stop.abort();
    for (const tool of ["Grep", "Glob"]) {
      const outcome = await forest.run(tool, { pattern: "needle" }, { signal: stop.signal });
      expect(blockText(outcome.content)).toBe("Interrupted before the search was complete.");
    }
  });
});

const byName = "ignored and hidden files are found only by name.";

test.concurrent.each([
  ["*.ts", ["a.ts", "src/Z.ts", "src/a b.ts", "src/build/in.ts", "src/ä.ts"]],
  ["src/*.ts", ["src/Z.ts", "src/a b.ts", "src/ä.ts"]],
  ["src/**/*.ts", ["src/Z.ts", "src/a b.ts", "src/build/in.ts", "src/ä.ts"]],
  ["**/*.log", ["keep.log", "src/debug.log"]],
  ["{a,b}.{ts,txt}", ["a.ts", "b.txt"]],
  [".config/*", [".config/c.ts"]],
  ["link*", [`No file matches link* in the workspace; ${byName}`]],
])("glob %s", async (pattern, files) => {
  expect((await forest.say("Glob", { pattern, path: "." })).split("\n")).toEqual(files);
});

test.concurrent(
  "glob is bounded and counts the rest; a hostile name stays on its line",
  async () => {
    const at = await room();
    for (let index = 0; index < 500; index += 1) at.put(`f${1000 + index}.x`, "");
    expect((await at.say("Glob", { pattern: "*.x" })).split("\n")).toHaveLength(500);
    for (let index = 500; index < 510; index += 1) at.put(`f${1000 + index}.x`, "");
    const lines = (await at.say("Glob", { pattern: "*.x" })).split("\n");
    expect(lines).toHaveLength(501);
    expect(lines.at(-1)).toBe("[10 more files match.]");
    at.put("line\nbreak.y", "");
    expect(await at.say("Glob", { pattern: "*.y" })).toBe('"line\\nbreak.y"');
    expect(await at.say("Glob", { pattern: "*", path: "f1000.x" })).toBe("f1000.x");
  },
);

test.concurrent("rules of an outer repository do not apply to an inner one", async () => {
  const at = await room();
  mkdirSync(join(at.root, ".git"));
  mkdirSync(join(at.root, "inner/.git"), { recursive: true });
  at.put(".gitignore", "*.gen\n");
  at.put("a.gen", "needle");
  at.put("inner/b.gen", "needle");
  expect(await at.say("Grep", { pattern: "needle" })).toBe("inner/b.gen");
});

test.concurrent("rules above the workspace count up to the top of the repository", async () => {
  const at = await room();
  mkdirSync(join(at.root, ".git"));
  at.put(".gitignore", "*.gen\n");
  at.put("package/a.gen", "needle");
  at.put("package/a.ts", "needle");
  const inner = await room({ workspace: join(at.root, "package") });
  expect(await inner.say("Grep", { pattern: "needle" })).toBe("a.ts");
  expect(await inner.say("Glob", { pattern: "*" })).toBe("a.ts");
});

test.concurrent("without a .gitignore, installed dependencies are left out", async () => {
  const at = await room();
  at.put("a.ts", "needle");
  at.put("vendor.ts", "needle");
  at.put("node_modules/b/b.ts", "needle");
  at.put("packages/c/node_modules/d.ts", "needle");
  at.put("venv/lib/e.ts", "needle");
  const files = "a.ts\nvendor.ts";
  expect(await at.say("Grep", { pattern: "needle" })).toBe(files);
  expect(await at.say("Glob", { pattern: "*.ts" })).toBe(files);
  const inside = { pattern: "*.ts", path: "node_modules/b" };
  expect(await at.say("Glob", inside)).toBe("node_modules/b/b.ts");
  at.put(".gitignore", "venv\n");
  expect(await at.say("Glob", { pattern: "b.ts" })).toBe("node_modules/b/b.ts");
});

test.concurrent("of a file, the first 2,000 lines are shown and the others counted", async () => {
  const at = await room();
  at.put("a.txt", "needle\n".repeat(2_005));
  at.put("b.txt", "needle\n".repeat(5));
  const query = { pattern: "needle", output_mode: "content", head_limit: 0 };
  const { file } = await at.run("Grep", query);
  const shown = readFileSync(file ?? "", "utf8").split("\n");
  expect(shown.slice(1_999, 2_002)).toEqual([
    "a.txt:2000:needle",
    "[5 more matching lines in a.txt]",
    "b.txt:1:needle",
  ]);
  expect(shown).toHaveLength(2_006);
});

test.concurrent(
  "what is ignored, hidden or given as a whole path is found when it is named",
  async () => {
    const at = await room();
    at.put(".gitignore", "dist\n.env.local\n");
    at.put("dist/deep/a.js", "needle\n");
    at.put(".env.local", "x\n");
    at.put(".github/workflows/ci.yml", "needle\n");
    const glob = (pattern: string) => at.say("Glob", { pattern });
    expect(await glob("dist/**/*.js")).toBe("dist/deep/a.js");
    expect(await glob("dist/deep/a.js")).toBe("dist/deep/a.js");
    expect(await glob(".env.local")).toContain(byName);
    expect(await glob(`${at.root}/dist/**/*.js`)).toBe("dist/deep/a.js");
    expect(await glob(`${at.root}/.github/**`)).toBe(".github/workflows/ci.yml");
    expect(await at.say("Grep", { pattern: "needle", path: "dist" })).toBe("dist/deep/a.js");
    expect(await at.say("Grep", { pattern: "needle", path: ".github" })).toBe(
      ".github/workflows/ci.yml",
    );
    const absolute = { pattern: "needle", path: ".github", glob: `${at.root}/.github/**/*.yml` };
    expect(await at.say("Grep", absolute)).toBe(".github/workflows/ci.yml");
    for (const pattern of ["/etc/*.conf", "/*.conf"])
      expect(await at.verdict("Glob", { pattern })).toBe("ask");
  },
);

test.concurrent("a pattern in the syntax of grep is understood, and that is said", async () => {
  const at = await room();
  at.put("a.txt", "left\nright\n");
  const found = await at.say("Grep", { pattern: "left\\|right", output_mode: "count" });
  expect(found).toBe(
    "[No match for left\\|right. This is for left|right, in Rust's syntax:]\na.txt:2",
  );
  at.put("b.txt", "left|right\n");
  expect(await at.say("Grep", { pattern: "left\\|right" })).toBe("b.txt");
});

test.concurrent("a long line is shown around its match", async () => {
  const at = await room();
  const [x, y] = ["x".repeat(2_999), "é".repeat(3_000)];
  for (const [line, shown] of [
    [`needle${x.slice(0, 494)}`, `needle${x.slice(0, 494)}`],
    [`needle${x}`, `needle${x.slice(0, 494)} [line cut here; it has 3005 characters]`],
    [`${x.slice(0, 495)}needle`, `[from character 2] ${x.slice(0, 494)}needle`],
    [
      `${y}needle${x}`,
      `[from character 2876] ${y.slice(0, 125)}needle${x.slice(0, 369)} [line cut here; it has 6005 characters]`,
    ],
  ] as const) {
    at.put("a.js", `${line}\n`);
    const found = await at.say("Grep", { pattern: "needle", output_mode: "content" });
    expect(found).toBe(`a.js:1:${shown}`);
  }
});

test.concurrent("an unknown type is an extension, and a type and a glob both apply", async () => {
  const at = await room();
  for (const name of ["a.py", "a.pyi", "sub/b.py", "c.odd", "d.a+b", "e.all"])
    at.put(name, "needle\n");
  const files = async (input: object) =>
    (await at.say("Grep", { pattern: "needle", ...input })).split("\n");
  expect(await files({ type: "python" })).toEqual(["a.py", "a.pyi", "sub/b.py"]);
  expect(await files({ type: "odd" })).toEqual(["c.odd"]);
  expect(await files({ type: "a+b" })).toEqual(["d.a+b"]);
  expect(await files({ type: "all" })).toEqual(["e.all"]);
  expect(await files({ type: "python", glob: "sub/*" })).toEqual(["sub/b.py"]);
  expect(await files({ glob: "?.py" })).toEqual(["a.py", "sub/b.py"]);
});

test.concurrent("folders may have names that are patterns, and so may the workspace", async () => {
  const at = await room({ name: "[site]" });
  const folders = ["app/[slug]", "app/(group)", "app/{a,b}", "app/[...all]", "app/[[id]]"];
  for (const folder of folders) at.put(`${folder}/page.tsx`, "needle\n");
  for (const folder of folders) {
    expect(await at.say("Glob", { pattern: `${folder}/*.tsx` })).toBe(`${folder}/page.tsx`);
    expect(await at.say("Glob", { pattern: `${folder}/page.tsx` })).toBe(`${folder}/page.tsx`);
    expect(await at.say("Glob", { pattern: "*.tsx", path: folder })).toBe(`${folder}/page.tsx`);
    expect(await at.say("Glob", { pattern: join(at.root, folder, "**/*") })).toContain("page.tsx");
    expect(await at.say("Grep", { pattern: "needle", glob: `${folder}/*.tsx` })).toBe(
      `${folder}/page.tsx`,
    );
    expect(await at.say("Grep", { pattern: "needle", path: folder })).toBe(`${folder}/page.tsx`);
  }
  expect(await at.verdict("Glob", { pattern: "**/*.tsx" })).toBe("allow");
  expect((await at.say("Glob", { pattern: "**/*.tsx" })).split("\n")).toHaveLength(5);
});

test.concurrent("what only ignored files hold is found, and said to be ignored", async () => {
  const said = "[Found only in files that .gitignore leaves out:]";
  expect(
    await forest.say("Grep", { pattern: "needle", glob: "debug.lo*", path: "build" }),
  ).toContain("No match");
  expect(await forest.say("Grep", { pattern: "needle", glob: "build/*.ts" })).toBe(
    `${said}\nbuild/out.ts`,
  );
  expect(await forest.say("Grep", { pattern: "needle", glob: "*.log" })).not.toContain(said);
});

test.concurrent("files are found in the order of the whole tree, folder by folder", async () => {
  const at = await room();
  const names = "B a/b a-b/a a b/a b/b b/c/a c d/a d/b/a d/c é \ufb00 😀".split(" ");
  const files = names.map((name) => `${name}.txt`);
  for (const file of files) at.put(file, "needle");
  const found = await at.say("Grep", { pattern: "needle" });
  expect(found.split("\n")).toEqual(files);
});

test.concurrent("file names are never options, nor the standard input", async () => {
  const at = await room();
  const names = ["-", "--files", "-e", "a.txt"];
  for (const name of names) at.put(name, "needle");
  at.put("key.pem", "needle");
  expect((await at.say("Grep", { pattern: "needle" })).split("\n")).toEqual(names);
});

test.concurrent("a name that is not UTF-8 is left out, one with a line break is not", async () => {
  const at = await room();
  at.put("1\n2\ufffd.txt", "needle");
  writeFileSync(Buffer.concat([Buffer.from(join(at.root, "x")), Buffer.from([0xff])]), "needle");
  for (const glob of ["*", "[!z]*"])
    expect(await at.say("Grep", { pattern: "needle", glob })).toBe('"1\\n2\ufffd.txt"');
});
