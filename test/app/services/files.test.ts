/** What is offered for @, and the prompts of earlier sessions. */

import { expect, test } from "bun:test";
import { mkdirSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stdioServer } from "../../extensions/mcp/open-hub.ts";
import { folders, openServices } from "./open.ts";

const newFolders = folders("files");

async function inFolder(names: string[], args: string[] = []) {
  const files = Object.fromEntries(names.map((name) => [`work/project/${name}`, ""]));
  return openServices({ ...newFolders(), args: ["--offline", ...args], files });
}

/** The paths once the whole folder has been read. */
async function completed({ services }: Awaited<ReturnType<typeof inFolder>>, query: string) {
  await (
    await services.files(query)
  ).rest;
  return (await services.files(query)).paths;
}

test("the best match comes first; letters may be left out, and hidden files are", async () => {
  const names = [
    "docs/history.md",
    "src/app/services/history.ts",
    "src/log/store.ts",
    ".h/store.ts",
  ];
  const opened = await inFolder(names);
  expect((await completed(opened, "history.ts"))[0]).toBe("src/app/services/history.ts");
  expect(await completed(opened, "lgstore")).toEqual(["src/log/store.ts"]);
  expect(await completed(opened, "zzz")).toEqual([]);
  expect((await completed(opened, "src/lo")).slice(0, 2)).toEqual(["src/log/", "src/log/store.ts"]);
});

test("paths that begin with the query come first, then names, short ones first, then what contains it", async () => {
  const begin = ["log.md", "login/", "login/a.md"];
  const named = ["b/Log.ts", "blog/logs.ts", "app/log-long.ts"];
  const inName = ["blog/", "catalog/", "catalog/my-log.ts", "src/blog.ts"];
  const expected = [...begin, ...named, ...inName, "catalog/x.ts", "lo/g.ts"];
  const opened = await inFolder([...expected, "other.ts"].filter((path) => !path.endsWith("/")));
  expect(await completed(opened, "lOg")).toEqual(expected);
});

test("without a query the first 50 files are offered, a query offers no more, numbers are in order", async () => {
  const names = Array.from({ length: 60 }, (_, i) => `file-${i}`);
  const opened = await inFolder(names);
  expect(await completed(opened, "")).toEqual(names.slice(0, 50));
  expect(await completed(opened, "file")).toHaveLength(50);
});

test("resources of servers come before files", async () => {
  const servers = JSON.stringify({ mcpServers: { small: stdioServer() } });
  const opened = await inFolder(["note.md"], ["--mcp-config", servers]);
  opened.run.mcp?.start();
  await opened.run.mcp?.settled(20_000);
  const found = await completed(opened, "note");
  expect(found[0]).toStartWith("small:note://");
  expect(found.at(-1)).toBe("note.md");
  expect(opened.services.mcp?.servers()).toMatchObject([{ name: "small", state: "connected" }]);
});

/** The history of a home folder whose file holds `text`. */
async function history(text?: string) {
  const { home, cwd } = newFolders();
  const file = join(home, ".mini-claude/history.jsonl");
  if (text !== undefined) {
    mkdirSync(join(home, ".mini-claude"));
    await writeFile(file, text);
  }
  const open = async () => {
    const { services } = await openServices({ home, cwd, args: ["--offline"] });
    return { load: services.loadHistory, save: services.saveHistory };
  };
  return { ...(await open()), file, open };
}

test("prompts come back in the next session, oldest first, in a private file", async () => {
  const { load, save, file, open } = await history();
  expect(await load()).toEqual([]);
  await save("first");
  await save("two\nlines");
  expect(await load()).toEqual(["first", "two\nlines"]);
  expect(await (await open()).load()).toEqual(["first", "two\nlines"]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("lines that hold no prompt are skipped, of a large file the end is read, and all once", async () => {
  const { load, file } = await history('"a"\n{"b":1}\nhalf a li\n\n7\n"c"');
  expect(await load()).toEqual(["a", "c"]);
  await writeFile(file, '"a"\n"b"\n');
  expect(await load()).toEqual(["a", "c"]);
  const large = await history(`"${"x".repeat(1024 * 1024)}"\n"last"\n`);
  expect(await large.load()).toEqual(["last"]);
});

test("at most 1,000 prompts are offered, the newest", async () => {
  const { load, save } = await history(
    Array.from({ length: 1_200 }, (_, i) => `"${i}"\n`).join(""),
  );
  expect([(await load()).length, (await load())[0]]).toEqual([1_000, "200"]);
  await save("last");
  const prompts = await load();
  expect([prompts.length, prompts[0], prompts.at(-1)]).toEqual([1_000, "201", "last"]);
});

test("a prompt that cannot be written is remembered", async () => {
  const blocked = await history();
  mkdirSync(blocked.file, { recursive: true });
  await expect(blocked.save("kept")).rejects.toThrow("EISDIR");
  expect(await blocked.load()).toEqual(["kept"]);
});
