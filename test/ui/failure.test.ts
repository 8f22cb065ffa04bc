import { expect, test } from "bun:test";
import { Builder } from "../context/build.ts";
import { stage } from "./stage.ts";

const text = "The server refused the key.";

test.each([
  ["by the transcript", 1, []],
  ["above the prompt, when scrolled up", 40, ["<pageup>", "<pageup>"]],
])("a failure is shown once, %s", async (_, lines, keys) => {
  const built = new Builder();
  built.user("hello\n".repeat(lines));
  built.answer([{ type: "text", text: "word\n\n".repeat(lines) }]);
  const on = stage(built);
  on.rows(80, 20);
  await on.press(...keys);
  const entry = built.add({ type: "note", kind: "error", text });
  await on.tell({ type: "entry", entry }, { type: "idle", why: "failed", message: text });
  expect(on.shown(80, 20).split(text)).toHaveLength(2);
});
