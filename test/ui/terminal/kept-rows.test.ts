/** Most frames of a stream or of typing are made without React: their rows must be those of a new screen. */

import { expect, test } from "bun:test";
import fc from "../../properties.ts";
import type { AgentEvent } from "../../../src/protocol/event.ts";
import { makeTheme } from "../../../src/ui/theme.ts";
import { Builder, say } from "../../context/build.ts";
import { askAbout } from "../../questions.ts";
import { drawAnew, type InputEvent, key, parseKeys, stage, type Stage } from "../stage.ts";

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

type Size = { columns: number; rows: number };

type Step = (on: Stage, size: Size) => void;

const press = (...keys: InputEvent[]): Step => {
  return (on) => on.controller.press(...keys);
};
const take = (event: AgentEvent): Step => {
  return (on) => on.store.take(event);
};
const set = (part: Partial<Stage["store"]["state"]>): Step => {
  return (on) => on.store.dispatch({ type: "set", ...part });
};
const resize = (part: Partial<Size>): Step => {
  return (_, size) => void Object.assign(size, part);
};

/** The streamed answer becomes an entry. */
const complete: Step = (on) => {
  const { path, answer } = on.store.state;
  const text = answer.map((block) => block.text).join("");
  if (text === "") return;
  const entry = new Builder().answer([say(text)]);
  const place = { id: `live${path.length}`, parent: path.at(-1)?.id ?? null };
  on.store.take({ type: "entry", entry: { ...entry, ...place } });
};

const streamed = ["word ", "**bold** 漢字 ", "\n\n- one\n- two\n", "\n```ts\nlet a = 1;\n", "x\n"];
const letters = ["a", "word ", "/", "@", "漢", "long ".repeat(30)];
const editing = "backspace ctrl+u ctrl+w ctrl+j up left pageup pagedown escape enter tab".split(
  " ",
);
const others: Step[] = [
  ...[60, 80, 30, 15].map((columns) => resize({ columns })),
  ...[24, 12, 6, 4].map((rows) => resize({ rows })),
  ...(["light", "dark", "none"] as const).map((theme) => set({ theme })),
  ...[{ kind: "todo" } as const, { kind: "map" } as const, null].map((panel) => set({ panel })),
  set({ focus: "transcript" }),
  set({ focus: "prompt" }),
  complete,
  take({ type: "reset" }),
  take({ type: "idle", why: "done" }),
  take({ type: "ask", ask: askAbout("ls\n-la", { id: "q" }) }),
  take({ type: "asked", id: "q" }),
  (on) => on.wait(1_000),
];

const steps = fc.array(
  fc.oneof(
    fc.constantFrom(
      ...streamed.map((text) => take({ type: "delta", index: 0, kind: "text", text })),
    ),
    fc.constantFrom(...letters.map((text) => press(...parseKeys(text)))),
    fc.constantFrom(...editing.map((chord) => press(key(chord)))),
    { weight: 2, arbitrary: fc.constantFrom(...others) },
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
      const kept = drawAnew(on);
      const size = { columns: 80, rows: 24 };
      const publish = async (): Promise<void> => {
        const frame = on.layout(size.columns, size.rows);
        on.controller.store.redraw();
        expect(frame).toEqual(on.layout(size.columns, size.rows));
        kept.publish(size);
        await nextTurn();
      };
      await publish();
      await nextTurn();
      for (const step of taken) {
        step(on, size);
        await nextTurn();
        await publish();
        const fresh = drawAnew(on);
        fresh.publish(size);
        await nextTurn();
        await nextTurn();
        expect(kept.rows()).toEqual(fresh.rows());
        fresh.end();
      }
      kept.end();
    }),
    { numRuns: 5 },
  );
});
