import { expect, test } from "bun:test";
import { Builder } from "../context/build.ts";
import { stage } from "./stage.ts";

const text = "The server refused the key.";

async function failed(lines: number, ...keys: string[]): Promise<number> {
  const built = new Builder();
  built.user("hello\n".repeat(lines));
  built.answer([{ type: "text", text: "word\n\n".repeat(lines) }]);
  const on = stage(built);
  const shown = (): string => on.shown(80, 20);
  shown();
  await on.press(...keys);
  const entry = built.add({ type: "note", kind: "error", text });
  await on.tell({ type: "entry", entry }, { type: "idle", why: "failed", message: text });
  return shown().split(text).length - 1;
}

test("a failure that the transcript shows is not repeated above the prompt", async () => {
  expect(await failed(1)).toBe(1);
});

test("scrolled up, it is shown above the prompt", async () => {
  expect(await failed(40, "<pageup>", "<pageup>")).toBe(1);
});
