import { expect, test } from "bun:test";
import { contextFact } from "../../../src/protocol/context-fact.ts";
import type { Change } from "../../../src/protocol/entry.ts";
import { Builder, call, noPrice, say } from "../../context/build.ts";
import { freeCut, makeReport } from "../../facts.ts";
import { stage } from "../stage.ts";

/** A session with an item of every kind, but for the totals of a turn. */
function session(): Builder {
  const built = new Builder();
  const source = { type: "base64", media_type: "image/png", data: "" } as const;
  const content = [say("/review src\n\nRead each file."), { type: "image" as const, source }];
  built.add({ type: "user", content, typed: "/review src" });
  built.add(contextFact("environment", "environment", "Linux"));
  built.add(contextFact("instructions", "AGENTS.md", "Use tabs."));
  built.answer([
    { type: "thinking", thinking: "Which files?\nAll.", signature: "" },
    say("I'll list them."),
    call("a", "Bash", { command: "find src" }),
  ]);
  const saved = { file: "/w/out.txt", bytes: 9_000, lines: 300 };
  built.add(makeReport({ toolUse: "a", tool: "Bash", content: [say("a.ts\nb.ts")], ...saved }));
  built.step("b", "Running in the background as bash_1.", { tool: "Bash" });
  // Its row shows this already.
  built.add({ type: "note", kind: "permission", text: "denied: Run make" });
  built.add({ type: "note", kind: "permission", text: "allowed (session): find" });
  built.add({ type: "note", kind: "error", text: "The server\nis gone." });
  built.answer([say("Two")], { stop: "max_tokens" });
  built.add(contextFact("shell", "ls", "a.ts"));
  built.add({ type: "model", model: "m2" });
  built.add({ type: "head", why: "to before a message" });
  const changes: Change[] = [
    { kind: "cover", span: { from: "e2", to: "e6" }, text: "Read src.", kept: "Told: review\n" },
    { kind: "replace", entry: "e8", text: "[cleared]\nby size" },
  ];
  const price = { ...noPrice, usedBefore: 9_000, usedAfter: 2_000, usd: 0.05 };
  const losses = [{ kind: "path" as const, text: "b.ts", entry: "e6" }];
  const summary = { by: "model" as const, turns: 1, instructionsPutBack: ["Use tabs."], losses };
  const { id: cut } = built.add(
    freeCut({ trigger: "key", reason: "you asked for it", changes, price, summary }),
  );
  built.restore(cut);
  built.add({ type: "restore", cut, redo: true, price });
  for (const id of ["r1", "r2"]) built.step(id, "one\ntwo");
  for (const id of ["s1", "s2"]) built.step(id, "No match in src.", { tool: "Grep" });
  return built;
}

test("every kind of item, folded and opened", () => {
  const on = stage(session());
  expect(on.transcript(100, 99).join("\n")).toMatchSnapshot("folded");
  for (const { key } of on.store.state.items) on.store.dispatch({ type: "toggle", key });
  expect(on.transcript(100, 99).join("\n")).toMatchSnapshot("opened");
});

test("words of every kind of item are found", async () => {
  const on = stage(session());
  on.shown(100, 30);
  for (const words of ["each file", "Linux", "All.", "list them", "b.ts", "gone", "by size"]) {
    await on.press("<ctrl+f>", words);
    expect(on.shown(100, 30)).toMatch(/ · 1 of \d/);
    await on.press("<escape>");
  }
});
