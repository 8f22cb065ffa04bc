/** The components of the screen, as React's test renderer has them. */

import { expect, test } from "bun:test";
import { act } from "react";
import { create, type ReactTestInstance, type ReactTestRenderer } from "react-test-renderer";
import type { Ask } from "../../../src/protocol/event.ts";
import { Builder, say } from "../../context/build.ts";
import { stage, type Stage } from "../stage.ts";

/** Ink's own, and what draws a line: they are everywhere. */
const everywhere = [
  "Box",
  "Text",
  "Transform",
  "LineText",
  "LineTexts",
  "DrawnLine",
  "Rows",
  "Row",
  "Sides",
  "Styled",
];

/** The names of components, each below the one that renders it; of equal ones in a parent, one. */
function linesOfTree({ type, children }: ReactTestInstance): string[] {
  const name = typeof type === "function" ? type.name : "";
  const inside = children.map((child) => (typeof child === "string" ? [] : linesOfTree(child)));
  const blocks = new Set(
    inside.filter(({ length }) => length > 0).map((lines) => lines.join("\n")),
  );
  const below = [...blocks].flatMap((block) => block.split("\n"));
  if (name === "" || everywhere.includes(name)) return below;
  return [name, ...below.map((line) => `  ${line}`)];
}

async function describeTree(on: Stage): Promise<string> {
  on.layout(80, 24);
  let rendered: ReactTestRenderer | undefined;
  Reflect.set(globalThis, "IS_REACT_ACT_ENVIRONMENT", true);
  await act(async () => {
    rendered = create(on.content);
  });
  const lines = rendered ? linesOfTree(rendered.root) : [];
  await act(async () => rendered?.unmount());
  Reflect.deleteProperty(globalThis, "IS_REACT_ACT_ENVIRONMENT");
  return lines.join("\n");
}

function conversation(): Builder {
  const session = new Builder();
  session.user("What is this?");
  session.answer([say("A parser.")]);
  return session;
}

const screen = (panel: string, question = ""): string =>
  `App
  Screen
    Start
    Transcript
      VisibleLines
        LiveLines
          Painted
    Question${question}
    Panel${panel}
    Activity
    Notices
    Completion
    Prompt
      Rule
    Meter
      Segments
    Status
      Painted
    Cursor`;

test("an empty session", async () => {
  expect(await describeTree(stage(new Builder(), { isEmpty: true }))).toBe(screen(""));
});

test("a panel with a list and a field", async () => {
  const on = stage(conversation(), { panel: { kind: "settings" } });
  const panel = `
      SettingsPanel
        ListPanel
          PanelBox
            Field
              TextInput
            List`;
  expect(await describeTree(on)).toBe(screen(panel));
});

test("a question with choices", async () => {
  const on = stage(conversation());
  const ask: Ask = {
    id: "1",
    toolUse: "c1",
    tool: "bash",
    title: "Run a command",
    detail: "npm test",
    detailKind: "command",
    rule: null,
  };
  await on.tell({ type: "phase", phase: "tools" }, { type: "ask", ask });
  const question = `
      Card
        Painted
        Choices`;
  expect(await describeTree(on)).toBe(screen("", question));
});
