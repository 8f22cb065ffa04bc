import { expect, test } from "bun:test";
import { Builder, call, say } from "../../context/build.ts";
import { stage } from "../stage.ts";

test("the lens names what is no text, and shows tools in full", async () => {
  const built = new Builder({ system: `${" ".repeat(90)}deep` });
  const source = { type: "base64", media_type: "image/png", data: "" } as const;
  built.add({ type: "user", content: [say("look"), { type: "image", source }] });
  const hidden = { type: "redacted_thinking", data: "" } as const;
  const earlier = { type: "compaction", content: "Before." } as const;
  built.answer([earlier, { type: "thinking", thinking: "Hm.", signature: "" }, hidden, call("a")]);
  built.result("a", "gone", { isError: true });
  const { press, frame } = stage(built, { panel: { kind: "lens" }, rows: 60 });
  expect(frame()).toMatch(/^first ─+● now$/m);
  expect(frame()).toMatch(/^ {40}deep$/m);
  await press("t");
  expect(frame()).toMatch(/Read: Reads a file\.\n +\{\n +"type": "object"\n +\}/);
  expect(frame()).toMatch(
    /look\n +\[image, image\/png\]\n.*\n.*summary\] Before\.\n +\[thinking\] Hm\.\n/,
  );
  expect(frame()).toMatch(/\[thinking, redacted\]\n.*\n.*\n +\[result of a, an error\]\n +gone/);
});

test("every line of a long text can be read", async () => {
  const system = Array.from({ length: 700 }, (_, n) => `line ${n + 1}`).join("\n");
  const { press, frame } = stage(new Builder({ system }), { panel: { kind: "lens" } });
  await press("<end>");
  expect(frame()).toMatch(/ {2}line 699\n {2}line 700\n/);
});

test("at a call, the lens shows what was sent then, nothing that came later, and the cut that followed", async () => {
  const built = new Builder();
  built.user("read it");
  const { id: entry } = built.step("a", "the harbour");
  built.answer([say("Read.")]);
  const { id } = built.cut([{ kind: "replace", entry, text: "[cleared]" }], "microcompact");
  built.turn("more", "More.");
  built.restore(id);
  const { press, frame } = stage(built, { panel: { kind: "lens" }, rows: 40 });
  for (const [shown, later] of [
    [["More."], "between this call"],
    [["[cleared]", "↺ undone between this call and now: cleared"], "More."],
    [["the harbour", "✂ cleared between this call and call 3: 0 tokens"], "Read."],
    [["read it"], "the harbour"],
  ] as const) {
    await press("<end>");
    for (const words of shown) expect(frame()).toContain(words);
    expect(frame()).not.toContain(later);
    await press("<left>");
  }
});
