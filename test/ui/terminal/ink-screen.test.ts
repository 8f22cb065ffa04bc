/** The screen with the rows of Ink's tree, and with Ink's own output where the tree cannot be read. */

import xterm from "@xterm/headless";
import { expect, test } from "bun:test";
import { createElement } from "react";
import { App } from "../../../src/ui/components/app.tsx";
import { ScreenSource } from "../../../src/ui/screen-context.ts";
import { layoutScreen } from "../../../src/ui/layout.ts";
import { inkScreen } from "../../../src/ui/terminal/ink-screen.tsx";
import { Builder, say } from "../../context/build.ts";
import { stage, type Stage } from "../stage.ts";

const size = { columns: 80, rows: 24 };

function session(): Stage {
  const built = new Builder();
  built.user("hello");
  built.answer([say("An **answer** with `code`, and 漢字.\n\n- one\n- two")]);
  return stage(built, { panel: { kind: "model" }, services: { models: async () => ["a", "b"] } });
}

/** What Ink writes for the frames that `draw` publishes, as a terminal shows it. */
async function drawn(
  on: Stage,
  readsTree: boolean,
  wanted = "❯",
  change = (): void => undefined,
): Promise<{ rows: string[]; written: string }> {
  let written = "";
  let presented: readonly string[] = [];
  const source = new ScreenSource(on.controller);
  const content = createElement(App, { source });
  const ink = inkScreen({
    present: (rows) => (presented = rows),
    write: (output) => (written += output),
    crash: (error) => {
      throw error;
    },
    readsTree,
  });
  const publish = (): void => {
    source.publish(layoutScreen(on.controller, size.columns, size.rows));
    ink.publish(content, size);
    ink.flush();
  };
  publish();
  await on.settle();
  change();
  publish();
  await on.settle();
  // Ink writes at most 60 times a second.
  while (!readsTree && !written.includes(wanted)) await on.settle();
  const frame = written;
  ink.unmount();
  if (readsTree) return { rows: presented.map((row) => Bun.stripANSI(row).trimEnd()), written };
  const terminal = new xterm.Terminal({
    cols: size.columns,
    rows: size.rows,
    allowProposedApi: true,
    convertEol: true,
  });
  await new Promise<void>((resolve) => terminal.write(frame, resolve));
  const { active } = terminal.buffer;
  return {
    rows: Array.from(
      { length: size.rows },
      (_, row) =>
        active
          .getLine(active.viewportY + row)
          ?.translateToString(true)
          .trimEnd() ?? "",
    ),
    written,
  };
}

test("Ink's root calls `onRender` after each layout, which the rows of a frame depend on", async () => {
  const on = session();
  await on.settle();
  const { rows, written } = await drawn(on, true);
  expect(rows.join("\n")).toContain("An answer with code, and 漢字.");
  expect(written).toBe("");
  on.end();
});

test("without it, Ink's own output shows the same screen", async () => {
  const on = session();
  await on.settle();
  const own = await drawn(on, true);
  const inks = await drawn(on, false);
  expect(inks.rows).toEqual(own.rows);
  on.end();
});

test("lines that are streamed are drawn either way, though nothing else changed", async () => {
  for (const readsTree of [true, false]) {
    const on = session();
    await on.settle();
    const text = "It streams.";
    const stream = (): void => on.store.take({ type: "delta", index: 0, kind: "text", text });
    const { rows } = await drawn(on, readsTree, text, stream);
    expect(rows.join("\n")).toContain(text);
    on.end();
  }
});
