import { expect, test } from "bun:test";
import { describeRoute, toFileRewind, routeTo } from "../../src/agent/rewind.ts";
import type { Entry } from "../../src/protocol/entry.ts";

const user = (id: string, parent: string | null, text: string): Entry => ({
  id,
  parent,
  at: "",
  type: "user",
  content: [{ type: "text", text }],
});

const checkpoint = (id: string, parent: string): Entry => ({
  id,
  parent,
  at: "",
  type: "checkpoint",
  toolUse: id,
  files: [],
});

/** e1 is shared; e2 to e4 are the current path, e5 and e6 are another branch. */
const shared = user("e1", null, "shared");
const path = [
  shared,
  user("e2", "e1", "current\n  words"),
  checkpoint("e3", "e2"),
  user("e4", "e3", "x"),
];
const branch = [checkpoint("e5", "e1"), user("e6", "e5", "")];
const log = { path, get: (id: string) => [...path, ...branch].find((entry) => entry.id === id) };
const ids = (entries: readonly Entry[]): string[] => entries.map(({ id }) => id);

test.each<[string | null, string[], string[]]>([
  ["e4", [], []],
  ["e3", ["e4"], []],
  ["e1", ["e2", "e3", "e4"], []],
  [null, ["e1", "e2", "e3", "e4"], []],
  ["e6", ["e2", "e3", "e4"], ["e5", "e6"]],
  ["e5", ["e2", "e3", "e4"], ["e5"]],
])("moving to %s leaves and enters the entries that are not shared", (to, left, entered) => {
  const route = routeTo(log, to);
  expect([ids(route.left), ids(route.entered)]).toEqual([left, entered]);
});

test("an entry that does not exist is refused", () => {
  expect(() => routeTo(log, "e9")).toThrow("no entry e9");
});

test("a rewind of files undoes and redoes checkpoints only", () => {
  const { undo, redo } = toFileRewind(routeTo(log, "e6"));
  expect([ids(undo), ids(redo)]).toEqual([["e3"], ["e5"]]);
});

test("the transcript names the message, not an id", () => {
  expect(describeRoute(routeTo(log, "e1"))).toBe("Rewound to before “current words”");
  expect(describeRoute(routeTo(log, "e6"))).toBe("Switched to the branch with “(image)”");
  expect(describeRoute(routeTo(log, "e4"))).toBe("Rewound");
  const long = { path: [user("e1", null, "w".repeat(100))], get: () => undefined };
  expect(describeRoute(routeTo(long, null))).toBe(`Rewound to before “${"w".repeat(59)}…”`);
});
