import { expect, test } from "bun:test";
import type { AgentEvent } from "../../src/protocol/event.ts";
import { Builder } from "../context/build.ts";
import { askAbout } from "../questions.ts";
import { key, parseKeys, stage } from "./stage.ts";

const ask: AgentEvent = { type: "ask", ask: askAbout("make", { id: "a1" }) };

/** Longer than the pause after which a question takes keys. */
const pauseMs = 1_000;

test("completions get Tab before the prompt", async () => {
  const { press, prompt } = stage(new Builder());
  await press("/hel", "<tab>");
  expect(prompt()).toBe("/help ");
});

test("an open panel gets keys before completions, and letters go to the prompt", async () => {
  const { press, prompt, store } = stage(new Builder(), { panel: { kind: "todo" } });
  await press("/hel", "<tab>");
  expect(prompt()).toBe("/hel");
  expect(store.state.panel).toEqual({ kind: "todo" });
});

test("a reopened panel starts over, also in one read", async () => {
  const { emit, press, frame } = stage(new Builder(), { rows: 6 });
  await press("<ctrl+t>");
  const top = frame();
  await press("<down>");
  expect(frame()).not.toBe(top);
  await emit(key("ctrl+t"), key("ctrl+t"));
  expect(frame()).toBe(top);
});

test("a question over a panel gets the keys, and global keys do nothing", async () => {
  const { tell, wait, press, sent, store } = stage(new Builder(), { panel: { kind: "todo" } });
  await tell(ask);
  wait(pauseMs);
  await press("<ctrl+t>", "y");
  expect(sent).toEqual([{ type: "answer", id: "a1", answer: { allow: true, scope: "once" } }]);
  expect(store.state.panel).toEqual({ kind: "todo" });
});

test("a guarded question leaves the keys to the prompt and its completions", async () => {
  const { tell, press, prompt, sent, store } = stage(new Builder());
  await tell(ask);
  await press("y", "<ctrl+t>");
  expect(prompt()).toBe("y");
  await press("<ctrl+u>", "/hel", "<down>");
  expect(prompt()).toBe("/hel");
  expect(sent).toEqual([]);
  expect(store.state.panel).toBeNull();
});

test("letters go to an open search, not to the prompt", async () => {
  const { press, prompt } = stage(new Builder());
  await press("<ctrl+f>", "words");
  expect(prompt()).toBe("");
});

test("the key after one that opens a panel goes to that panel, in the same read", async () => {
  const { press, store, sent } = stage(new Builder());
  await press("/mode\rplan\r");
  expect(sent).toEqual([{ type: "mode", mode: "plan" }]);
  expect(store.state.panel).toBeNull();
});

test("Tab in the same read as the word waits for its completions", async () => {
  const files = async (query: string) => ({
    paths: query === "no" ? ["notes.txt"] : [],
    rest: null,
  });
  const { press, prompt } = stage(new Builder(), { services: { files } });
  await press("read @no\tplease");
  expect(prompt()).toBe("read @notes.txt please");
});

test("keys after a pasted image wait until it has been read", async () => {
  const image = {
    type: "image" as const,
    source: { type: "base64" as const, media_type: "image/png" as const, data: "AA==" },
  };
  const readImage = async () => image;
  const { emit, sent } = stage(new Builder(), { services: { readImage } });
  await emit({ type: "paste", text: "/tmp/a.png" }, ...parseKeys(" look\r"));
  expect(sent).toMatchObject([{ type: "prompt", content: [{ type: "image" }, { type: "text" }] }]);
});

test("a letter without a meaning for the selected item returns to the prompt", async () => {
  const built = new Builder();
  built.user("Hello.");
  const { press, prompt } = stage(built);
  await press("<ctrl+o>", "k", "x", "typed");
  expect(prompt()).toBe("xtyped");
});

test("a search typed and sent in one read shows its match", async () => {
  const built = new Builder();
  built.user("Read it.");
  built.step("c1", Array.from({ length: 200 }, (_, n) => `keeper ${n}`).join("\n"));
  const { controller, press } = stage(built);
  controller.transcript.frame(80, 20);
  await press("<ctrl+f>");
  await press("KEEPER 150\r");
  expect(controller.transcript.frame(80, 20).lines.join("\n")).toContain("keeper 150");
});

test("keys typed while a paste is read never answer a question that comes meanwhile", async () => {
  const read = Promise.withResolvers<null>();
  const on = stage(new Builder(), { services: { readImage: () => read.promise } });
  const { emit, press, tell, wait, settle, sent, prompt } = on;
  await emit({ type: "paste", text: "/tmp/a.png" });
  await tell(ask);
  wait(pauseMs);
  await press("y");
  read.resolve(null);
  await settle();
  await press("y");
  expect(sent).toEqual([]);
  expect(prompt()).toBe("/tmp/a.pngyy");
  await press("<tab>", "y");
  expect(sent).toEqual([{ type: "answer", id: "a1", answer: { allow: true, scope: "once" } }]);
});

test("an Enter meant for the panel of a key that a question ignores approves nothing", async () => {
  const { tell, wait, press, sent } = stage(new Builder());
  await tell(ask);
  wait(pauseMs);
  await press("<ctrl+s>", "<enter>");
  expect(sent).toEqual([]);
  await press("<enter>");
  expect(sent).toEqual([{ type: "answer", id: "a1", answer: { allow: true, scope: "once" } }]);
});
