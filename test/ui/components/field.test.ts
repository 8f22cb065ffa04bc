/** Fields of panels and questions: every key of a read counts, and edits what people see as a character. */

import { expect, test } from "bun:test";
import fc from "../../properties.ts";
import { Builder } from "../../context/build.ts";
import { askAbout } from "../../questions.ts";
import { type InputEvent, key, parseKeys, stage } from "../stage.ts";

const session = new Builder();
session.user("hello");

/** Types all events, in one read, as the reason of a denial; returns the reason. */
async function typeReason(events: readonly InputEvent[]): Promise<string> {
  const on = stage(session);
  await on.tell({ type: "ask", ask: askAbout("ls") });
  on.wait(5_000);
  await on.emit(key("n", "n"), ...events);
  await on.press("<enter>");
  const [answer] = on.sent;
  return answer?.type === "answer" && "reason" in answer.answer ? (answer.answer.reason ?? "") : "";
}

const keysOf = (text: string): InputEvent[] =>
  text
    .split(/<([^>]+)>/)
    .flatMap((piece, index) => (index % 2 === 0 ? parseKeys(piece) : [key(piece)]));

test("a paste is one line", async () => {
  const paste: InputEvent = { type: "paste", text: "\r\none\r\ntwo\x1b[31m\n" };
  expect(await typeReason([...keysOf("ab<left>"), paste])).toBe("aone twob");
});

test("a field edits as the prompt does, whatever the keys", async () => {
  const chords = "left right backspace delete home end ctrl+u ctrl+w ctrl+k ctrl+y ctrl+_".split(
    " ",
  );
  const texts = ["a", "日", "👍🏽", "e\u0301", "🇩🇪", " ", "word"];
  const key = fc.constantFrom(...texts, ...chords.map((chord) => `<${chord}>`));
  await fc.assert(
    fc.asyncProperty(fc.array(key, { maxLength: 24 }), async (keys) => {
      const events = keysOf(keys.join(""));
      const on = stage(session);
      await on.emit(...events);
      expect(await typeReason(events)).toBe(on.prompt().trim());
    }),
    { numRuns: 12 },
  );
});
