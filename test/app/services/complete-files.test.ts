import { expect, test } from "bun:test";
import { completeFiles } from "../../../src/app/services/prompt-files.ts";

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

test("the best match comes first; letters may be left out", async () => {
  const { walk } = walker(["docs/history.md", "src/app/services/history.ts", "src/log/store.ts"]);
  const complete = completeFiles(walk);
  expect((await complete("history.ts"))[0]).toBe("src/app/services/history.ts");
  expect(await complete("lgstore")).toEqual(["src/log/store.ts"]);
  expect(await complete("zzz")).toEqual([]);
});

test("without a query the first 50 files are offered, and a query offers no more", async () => {
  const names = Array.from({ length: 60 }, (_, i) => `file-${100 + i}`);
  const complete = completeFiles(walker(names).walk);
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
  const { walk, state } = walker(Array.from({ length: 50_010 }, (_, i) => `f${i}`));
  await completeFiles(walk)("");
  expect(state.yielded).toBe(50_000);
});
