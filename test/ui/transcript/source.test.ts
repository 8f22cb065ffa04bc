import { expect, test } from "bun:test";
import { Builder } from "../../context/build.ts";
import { stage } from "../stage.ts";

test("an answer that is retried shows nothing of the first attempt", () => {
  const { controller, store } = stage(new Builder());
  const shown = (): string =>
    controller.transcript
      .frame(80, 12)
      .lines.map((text) => Bun.stripANSI(text))
      .join("\n");
  const stream = (text: string): void =>
    store.take({ type: "delta", index: 0, kind: "text", text });
  store.take({ type: "phase", phase: "waiting" });
  stream("The first attempt.\n\n- one\n- two\n");
  expect(shown()).toContain("The first attempt.");
  store.take({ type: "reset" });
  stream("Another attempt, with more words.\n\n- three\n- four\n- five\n");
  expect(shown().replaceAll("\n", " ").trim()).toBe(
    "Another attempt, with more words.  • three • four • five",
  );
});
