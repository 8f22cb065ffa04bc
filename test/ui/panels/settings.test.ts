import { expect, test } from "bun:test";
import { Builder } from "../../context/build.ts";
import { stage, type Stage } from "../stage.ts";

const session = (): Builder => new Builder();

async function open(saved: [string, unknown][]): Promise<Stage> {
  const on = stage(session(), {
    panel: { kind: "settings" },
    rows: 24,
    services: {
      async saveSetting(name, value) {
        saved.push([name, value]);
      },
    },
  });
  await on.settle();
  return on;
}

test("a setting is found, explained, changed, saved and applied", async () => {
  const saved: [string, unknown][] = [];
  const on = await open(saved);
  expect(on.frame()).toContain("Model used for answers. The default.");
  expect(on.frame().match(/often changed/g)).toHaveLength(1);
  await on.press("theme");
  expect(on.frame()).toContain("auto: by the terminal's background");
  await on.press("<enter>");
  expect(on.frame()).toMatch(/● auto\n.*dark/);
  await on.press("light", "<enter>");
  expect(on.frame()).toMatch(/Colors +light/);
  expect(saved).toEqual([["theme", "light"]]);
  await on.press("<escape>");
  expect(on.controller.store.theme.name).toBe("light");
  expect(on.message()).toBe("Applied.");
  expect(on.opened).toEqual([]);
});

test("a setting that cannot be saved says why, and holds until the end", async () => {
  const saveSetting = () => Promise.reject(new Error("The disk is full."));
  const on = stage(session(), { panel: { kind: "settings" }, services: { saveSetting } });
  await on.press("vim", "<enter>");
  expect(on.frame()).toContain("The disk is full.");
  expect(on.frame()).toMatch(/Vim keys in the prompt .*true/);
});

test("what needs a new start opens the session again", async () => {
  const on = await open([]);
  await on.press("notifyBy", "<enter>", "osc9", "<enter>", "<escape>");
  expect(on.opened).toMatchObject([{ kind: "settings", settings: { notifyBy: "osc9" } }]);
});

test("a wrong value is refused with the reason, and what was typed stays", async () => {
  const saved: [string, unknown][] = [];
  const on = await open(saved);
  await on.press("snipAt", "<enter>", "<ctrl+u>", "much", "<enter>");
  expect(on.frame()).toContain("snipAt must be a number");
  expect(on.frame()).toContain("snipAt: much");
  await on.press("<ctrl+u>", "0.5", "<enter>");
  expect(saved).toEqual([["snipAt", 0.5]]);
  expect(on.frame()).toMatch(/stale reads .* 0\.5/);
});

test("without a change nothing is opened again", async () => {
  const on = await open([]);
  await on.press("theme", "<enter>", "<escape>", "<escape>");
  expect(on.opened).toEqual([]);
  expect(on.store.state.panel).toBeNull();
});

test("while the agent works, what can be applied is, and the rest when it is done", async () => {
  const on = await open([]);
  await on.tell({ type: "phase", phase: "waiting" });
  await on.press("vim", "<enter>", "<ctrl+u>");
  await on.press("permissionMode", "<enter>", "plan", "<enter>", "<ctrl+u>", "notifyBy");
  await on.press("<enter>", "osc9", "<enter>", "<escape>");
  expect(on.controller.prompt.vim.mode).toBe("insert");
  expect(on.sent).toEqual([{ type: "mode", mode: "plan" }]);
  expect(on.message()).toBe("Applied when the agent is done: notifyBy.");
  expect(on.opened).toEqual([]);
  on.store.dispatch({ type: "set", panel: { kind: "settings" } });
  await on.settle();
  await on.press("notifyBy");
  expect(on.frame()).toMatch(/How to notify you +osc9/);
  await on.tell({ type: "idle", why: "done" });
  expect(on.opened).toMatchObject([{ kind: "settings", settings: { notifyBy: "osc9" } }]);
});

test("the list keeps its rows while the selection moves, however long the explanations are", async () => {
  const on = await open([]);
  await on.press(...Array<string>(12).fill("<down>"));
  const rows = new Set<number>();
  for (let step = 0; step < 12; step++) {
    await on.press("<up>");
    // A blank row is above the explanation.
    rows.add(on.frame().split("\n").indexOf(""));
  }
  expect(rows.size).toBe(1);
});
