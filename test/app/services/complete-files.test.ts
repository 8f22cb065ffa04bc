import { expect, test } from "bun:test";
import { completeFiles } from "../../../src/app/services/complete-files.ts";

/** Yields the names, and counts the walks. */
function walker(names: readonly string[]) {
  const state = { walks: 0, yielded: 0 };
  async function* walk(signal: AbortSignal): AsyncGenerator<string> {
    state.walks++;
    for (const name of names) {
      if (signal.aborted) return;
      state.yielded++;
      yield name;
    }
  }
  return { walk, state };
}

/** The paths once everything has been read. */
function completed(walk: Parameters<typeof completeFiles>[0]) {
  const complete = completeFiles(walk);
  return async (query: string): Promise<string[]> => {
    await (
      await complete(query)
    ).rest;
    return (await complete(query)).paths;
  };
}

test("the best match comes first; letters may be left out", async () => {
  const { walk } = walker(["docs/history.md", "src/app/services/history.ts", "src/log/store.ts"]);
  const complete = completed(walk);
  expect((await complete("history.ts"))[0]).toBe("src/app/services/history.ts");
  expect(await complete("lgstore")).toEqual(["src/log/store.ts"]);
  expect(await complete("zzz")).toEqual([]);
});

test("without a query the first 50 files are offered, and a query offers no more", async () => {
  const names = Array.from({ length: 60 }, (_, i) => `file-${100 + i}`);
  const complete = completed(walker(names).walk);
  expect(await complete("")).toEqual(names.slice(0, 50));
  expect(await complete("file")).toHaveLength(50);
});

test("the workspace is walked once for many keys", async () => {
  const { walk, state } = walker(["a"]);
  const complete = completeFiles(walk);
  await Promise.all([complete("a"), complete("")]);
  await complete("a");
  expect(state.walks).toBe(1);
});

test("a huge workspace is not walked to its end", async () => {
  const { walk, state } = walker(Array.from({ length: 100_010 }, (_, i) => `f${i}`));
  await completed(walk)("");
  expect(state.yielded).toBe(100_000);
});

test("folders are offered, and numbers are in order", async () => {
  const files = [
    "pkg30/src/a.ts",
    "pkg3/src/a.ts",
    "pkg3/src/b10.ts",
    "pkg3/src/b9.ts",
    "test/a.ts",
  ];
  const complete = completed(walker(files).walk);
  expect((await complete("pkg3/src/")).slice(0, 4)).toEqual([
    "pkg3/src/",
    "pkg3/src/a.ts",
    "pkg3/src/b9.ts",
    "pkg3/src/b10.ts",
  ]);
  expect((await complete("tes"))[0]).toBe("test/");
});

test("a slow folder is answered before it has been read, and says so", async () => {
  const read = Promise.withResolvers<void>();
  const complete = completeFiles(async function* () {
    await read.promise;
    yield "late.ts";
  });
  const { paths, rest } = await complete("late");
  expect(paths).toEqual([]);
  read.resolve();
  await rest;
  expect(await complete("late")).toEqual({ paths: ["late.ts"], rest: null });
});
