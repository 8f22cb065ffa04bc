/** Most frames of a stream or of typing are made without React: their rows must be those of a new screen. */

import { expect, test } from "bun:test";
import fc from "../../properties.ts";
import { typed } from "../../../src/ui/keys.ts";
import { createElement } from "react";
import { App } from "../../../src/ui/components/app.tsx";
import { ScreenSource } from "../../../src/ui/screen-context.ts";
import type { Layout } from "../../../src/ui/budget.ts";
import { layoutScreen } from "../../../src/ui/layout.ts";
import { inkScreen } from "../../../src/ui/terminal/ink-screen.tsx";
import { makeTheme } from "../../../src/ui/theme.ts";
import { Builder, say } from "../../context/build.ts";
import { stage, type Stage } from "../stage.ts";

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function drawnRows(on: Stage) {
  const source = new ScreenSource(on.controller);
  const content = createElement(App, { source });
  let rows: readonly string[] = [];
  const ink = inkScreen({
    present: (drawn) => (rows = drawn),
    write: () => undefined,
    crash: (error) => {
      throw error;
    },
  });
  return {
    publish(layout: Layout, size: Size): void {
      source.publish(layout);
      ink.publish(content, size);
    },
    end: () => ink.unmount(),
    rows: () => rows,
  };
}

type Size = { columns: number; rows: number };

type Step = (on: Stage, size: Size) => void;

const key = (chord: string): Step => {
  const event = { type: "key", chord, text: "" } as const;
  return (on) => on.controller.press(event);
};

const steps = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .constantFrom(
          "word ",
          "**bold** 漢字 ",
          "\n\n- one\n- two\n",
          "\n```ts\nlet a = 1;\n",
          "x\n",
        )
        .map(
          (text): Step =>
            (on) =>
              on.store.take({ type: "delta", index: 0, kind: "text", text }),
        ),
    },
    {
      weight: 4,
      arbitrary: fc.constantFrom("a", "word ", "/", "@", "漢", "long ".repeat(30)).map(
        (text): Step =>
          (on) =>
            on.controller.press(...typed(text)),
      ),
    },
    {
      weight: 3,
      arbitrary: fc
        .constantFrom(
          "backspace",
          "ctrl+u",
          "ctrl+w",
          "ctrl+j",
          "up",
          "left",
          "pageup",
          "pagedown",
          "escape",
          "enter",
          "tab",
        )
        .map(key),
    },
    fc.constantFrom(60, 80, 30, 15).map(
      (columns): Step =>
        (_, size) =>
          void (size.columns = columns),
    ),
    fc.constantFrom(24, 12, 6, 4).map(
      (rows): Step =>
        (_, size) =>
          void (size.rows = rows),
    ),
    fc.constantFrom("light" as const, "dark" as const, "none" as const).map(
      (theme): Step =>
        (on) =>
          on.store.dispatch({ type: "set", theme }),
    ),
    fc.constantFrom({ kind: "todo" } as const, { kind: "map" } as const, null).map(
      (panel): Step =>
        (on) =>
          on.store.dispatch({ type: "set", panel }),
    ),
    fc.constantFrom<Step>(
      // The streamed answer becomes an entry.
      (on) => {
        const { path, answer } = on.store.state;
        const text = answer.map((block) => block.text).join("");
        if (text === "") return;
        const built = new Builder();
        built.answer([say(text)]);
        const entry = built.path.at(-1);
        if (!entry) return;
        on.store.take({
          type: "entry",
          entry: { ...entry, id: `live${path.length}`, parent: path.at(-1)?.id ?? null },
        });
      },
      (on) => on.store.take({ type: "reset" }),
      (on) => on.store.take({ type: "idle", why: "done" }),
      (on) =>
        on.store.take({
          type: "ask",
          ask: {
            id: "q",
            toolUse: "t",
            tool: "Bash",
            title: "Run ls",
            detail: "ls\n-la",
            detailKind: "command",
            rule: null,
          },
        }),
      (on) => on.store.take({ type: "asked", id: "q" }),
      (on) => on.store.dispatch({ type: "set", focus: "transcript" }),
      (on) => on.store.dispatch({ type: "set", focus: "prompt" }),
      (on) => on.wait(1_000),
    ),
  ),
  { minLength: 5, maxLength: 30 },
);

test("rows that are made without rendering are those of a screen that is mounted anew", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      const built = new Builder();
      built.user("hello");
      built.answer([say("An **answer** with `code`.\n\n- one\n- two")]);
      const on = stage(built, { theme: makeTheme("dark") });
      const kept = drawnRows(on);
      const size = { columns: 80, rows: 24 };
      const publish = async (): Promise<Layout> => {
        const frame = layoutScreen(on.controller, size.columns, size.rows);
        on.controller.store.redraw();
        expect(frame).toEqual(layoutScreen(on.controller, size.columns, size.rows));
        kept.publish(frame, size);
        await nextTurn();
        return frame;
      };
      await publish();
      await nextTurn();
      for (const step of taken) {
        step(on, size);
        await nextTurn();
        const frame = await publish();
        const fresh = drawnRows(on);
        fresh.publish(frame, size);
        await nextTurn();
        await nextTurn();
        expect(kept.rows()).toEqual(fresh.rows());
        fresh.end();
      }
      kept.end();
      on.end();
    }),
    { numRuns: 5 },
  );
});
