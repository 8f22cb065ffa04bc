import { expect, test } from "bun:test";
import { rules, say } from "../../context/build.ts";
import { exploring } from "../../context/meter/exploring.ts";
import { type InputEvent, stage } from "../stage.ts";
import { summaryOf } from "../quiet-services.ts";

test("the panel names tools, and files relative to the workspace", async () => {
  const { frame, settle } = stage(exploring(), {
    panel: { kind: "map" },
    rows: 60,
  });
  await settle();
  expect(frame()).toMatch(/2× {2}Read/);
  expect(frame()).toMatch(/2× {2}a\.ts/);
});

const click = (row: number, column: number): InputEvent[] =>
  (["press", "release"] as const).map((action) => ({ type: "mouse", action, row, column }));

test("a click opens another tab", async () => {
  const { settle, emit, controller, store } = stage(exploring(), {
    panel: { kind: "map" },
    rows: 30,
  });
  await settle();
  const { row, column } = controller.overlay.origin;
  await emit(...click(row, column + " Map  Items ".indexOf("Items")));
  expect(store.state.panel).toEqual({ kind: "items" });
});

test("Tab opens the next view, Shift-Tab the one before", async () => {
  const { press, store } = stage(exploring(), { panel: { kind: "map" }, rows: 30 });
  const seen: unknown[] = [];
  for (const key of ["<tab>", "<tab>", "<shift+tab>", "<shift+tab>", "<shift+tab>"]) {
    await press(key);
    seen.push(store.state.panel?.kind);
  }
  expect(seen).toEqual(["items", "rules", "items", "map", "cost"]);
});

test("a click chooses an item of a list, and another click on it is Enter", async () => {
  const { frame, settle, emit, opened, controller } = stage(exploring(), {
    panel: { kind: "sessions" },
    services: {
      sessions: async () => [summaryOf("first", "first"), summaryOf("second", "second")],
    },
  });
  await settle();
  const top = controller.overlay.origin.row;
  const lines = frame().split("\n");
  const row = top + lines.findIndex((line) => line.includes("second"));
  await emit(...click(row, 10));
  expect(opened).toEqual([]);
  await emit(...click(top, 10), ...click(row + 1, 10), ...click(row, 3));
  expect(opened).toEqual([{ kind: "session", session: "second" }]);
});

test("the cost panel lists the newest call first", async () => {
  const { frame, settle } = stage(exploring(), { panel: { kind: "cost" }, rows: 60 });
  await settle();
  expect(frame()).toContain("in 4 calls");
  const sent = [...frame().matchAll(/^ +([\d.]+)k +\d+ % +\d/gm)].map(([, tokens]) =>
    Number(tokens),
  );
  expect(sent).toHaveLength(3);
  expect(sent).toEqual(sent.toSorted((a, b) => b - a));
});

test("the cost follows the session", async () => {
  const built = exploring();
  const { frame, tell } = stage(built, { panel: { kind: "cost" } });
  expect(frame()).toMatch(/Cost: \$[\d.]+ in 4 calls/);
  built.answer([say("And done.")]);
  const entry = built.path.at(-1);
  if (entry) await tell({ type: "entry", entry });
  expect(frame()).toMatch(/in 5 calls/);
});

test("where nothing has a price and nothing is cached, neither is spoken of", async () => {
  const built = exploring();
  const path = built.path.map((entry) =>
    entry.type === "assistant"
      ? { ...entry, usage: { ...entry.usage, cacheRead: 0, cacheWrite: 0 } }
      : entry,
  );
  Object.defineProperty(built, "path", { value: path });
  const free = { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
  const { frame } = stage(built, {
    panel: { kind: "cost" },
    rules: { ...rules, prices: free },
    rows: 60,
  });
  expect(frame()).not.toMatch(/\$|cache (?:read|written)/);
  expect(frame()).toMatch(/^ {4}sent {2}answer {2}call$/m);
});

test("costs at prices that are estimates are marked, in every row", () => {
  const { frame } = stage(exploring(), {
    panel: { kind: "cost" },
    rules: { ...rules, prices: { ...rules.prices, areEstimates: true } },
    rows: 60,
  });
  expect(frame()).toMatch(/~\$/);
  expect(frame()).not.toMatch(/(?<!~)\$(?!0\b(?!\.))/);
});
