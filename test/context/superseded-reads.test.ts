import { expect, test } from "bun:test";
import { supersededReads, surplusResults } from "../../src/context/superseded-reads.ts";
import type { FileStamp } from "../../src/protocol/entry.ts";
import { Builder } from "./build.ts";

const stamp = (path: string, does: FileStamp["does"], lines?: [number, number]): FileStamp => ({
  path,
  does,
  hash: "h",
  bytes: 1,
  ...(lines ? { lines } : {}),
});

/** Which of the results are stale, by their number. */
function stale(...results: FileStamp[][]): number[] {
  const session = new Builder();
  session.user("Go.");
  const ids = results.map((stamps, n) => session.step(`c${n}`, `text ${n}`, { stamps }).id);
  const gone = supersededReads(session.view);
  return ids.flatMap((id, n) => (gone.has(id) ? [n] : []));
}

test.each<[string, FileStamp[], number[]]>([
  ["the whole", [stamp("/a", "read", [5, 9]), stamp("/a", "read")], [0]],
  ["a part", [stamp("/a", "read"), stamp("/a", "read", [5, 9])], []],
  ["the same lines", [stamp("/a", "read", [5, 9]), stamp("/a", "read", [5, 9])], [0]],
  ["fewer lines at the start", [stamp("/a", "read", [5, 9]), stamp("/a", "read", [6, 9])], []],
  ["fewer lines at the end", [stamp("/a", "read", [5, 9]), stamp("/a", "read", [5, 8])], []],
  ["another file", [stamp("/a", "read"), stamp("/b", "read")], []],
])("a read is stale once %s was read later", (_, reads, expected) => {
  expect(stale(...reads.map((one) => [one]))).toEqual(expected);
});

test("a read is stale once its file was written; a write never is", () => {
  expect(stale([stamp("/a", "read")], [stamp("/a", "write")], [stamp("/a", "read")])).toEqual([0]);
});

test("a result that shows several files is stale only when all of them are", () => {
  const both = [stamp("/a", "read"), stamp("/b", "read")];
  expect(stale(both, [stamp("/a", "read")])).toEqual([]);
  expect(stale(both, [stamp("/a", "read")], [stamp("/b", "read")])).toEqual([0]);
  expect(stale([stamp("/a", "read"), stamp("/b", "write")], both)).toEqual([]);
});

test("searches beyond the newest of each tool are surplus", () => {
  const session = new Builder();
  session.user("Go.");
  const ids = ["Grep", "Glob", "Grep", "Read", "Grep"].map(
    (tool, n) => session.step(`c${n}`, "found", { tool }).id,
  );
  const searches = (keep: number) => [
    ...surplusResults(session.view, keep, (tool) => tool !== "Read"),
  ];
  expect(searches(1)).toEqual([ids[2] ?? "", ids[0] ?? ""]);
  expect(searches(2)).toEqual([ids[0] ?? ""]);
});
