import { expect, test } from "bun:test";
import { Builder } from "../../context/build.ts";
import { stage } from "../stage.ts";

test("an answer that is retried shows nothing of the first attempt", () => {
  const { transcript, store } = stage(new Builder());
  const stream = (text: string): void =>
    store.take({ type: "delta", index: 0, kind: "text", text });
  store.take({ type: "phase", phase: "waiting" });
  stream("The first attempt.\n\n- one\n- two\n");
  expect(transcript()).toContain("The first attempt.");
  store.take({ type: "reset" });
  stream("Another attempt, with more words.\n\n- three\n- four\n- five\n");
  expect(transcript().slice(1)).toEqual([
    "Another attempt, with more words.",
    "",
    "• three",
    "• four",
    "• five",
  ]);
});
