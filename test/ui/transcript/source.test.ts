import { expect, test } from "bun:test";
import { Builder, say } from "../../context/build.ts";
import type { Theme } from "../../../src/ui/theme.ts";
import { stage } from "../stage.ts";

test("an answer that is retried shows nothing of the first attempt", () => {
  const { controller, store, end } = stage(new Builder());
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
  end();
});

test("streamed code is laid out once, though its end came with the complete answer", async () => {
  const session = new Builder();
  let painted = 0;
  const paint: Theme["paint"] = (_, text) => {
    painted++;
    return text;
  };
  const theme: Theme = { name: "none", colors: 256, props: () => ({}), paint };
  const { controller, store, tell, end } = stage(session, { theme });
  const show = (): number => controller.transcript.frame(80, 12).lines.length;
  const code = `\`\`\`ts\n${"const a = 1;\n".repeat(400)}`;
  store.take({ type: "delta", index: 0, kind: "text", text: code });
  show();
  const before = painted;
  store.take({ type: "delta", index: 0, kind: "text", text: "const b = 2;" });
  await tell({ type: "entry", entry: session.answer([say(`${code}const b = 2;`)]) });
  show();
  expect(painted - before).toBeLessThan(100);
  end();
});
