import { expect, test } from "bun:test";
import { project } from "../../../src/context/view/view.ts";
import { listCalls, cutLines, openingLines } from "../../../src/ui/panels/context/lens.ts";
import { plainText } from "../../../src/ui/spans.ts";
import { Builder, call, noPrice, say } from "../../context/build.ts";

/** A call, then a result that is cut, then what `after` adds. */
function session(after: (on: Builder, cut: string) => void): string[] {
  const on = new Builder();
  on.user("read it");
  on.answer([call("a")]);
  const { id: entry } = on.result("a", "text");
  on.answer([say("Read.")]);
  const changes = [{ kind: "replace" as const, entry, text: "[cleared]" }];
  const { id: cut } = on.add({
    type: "cut",
    tier: "microcompact",
    trigger: "key",
    reason: "asked",
    changes,
    price: noPrice,
  });
  after(on, cut);
  const calls = listCalls(on.path);
  return calls.flatMap((_, at) => cutLines(on.path, calls, at, project(on.path)).map(plainText));
}

test("the lens shows a cut, and later its undo", () => {
  const lines = session((on, cut) => {
    on.user("more");
    on.answer([say("More.")]);
    on.add({ type: "restore", cut, price: noPrice });
  });
  expect(lines).toEqual([
    "✂ removed between this call and call 3, cleared: 0 tokens",
    "  - Read /w/a.ts",
    "↺ undone between this call and now: cleared",
  ]);
});

test("a cut that was undone before the next call changed nothing there", () => {
  const lines = session((on, cut) => {
    on.add({ type: "restore", cut, price: noPrice });
    on.user("more");
    on.answer([say("More.")]);
  });
  expect(lines).toEqual([]);
});

test("every line of a long text can be read", () => {
  const system = Array.from({ length: 700 }, (_, n) => `line ${n + 1}`).join("\n");
  const { view } = new Builder({ system });
  const lines = openingLines(view, 80, false).map(plainText);
  expect(lines.slice(-2)).toEqual(["  line 699", "  line 700"]);
});
