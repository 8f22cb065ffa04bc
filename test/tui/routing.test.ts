import { expect, test } from "bun:test";
import { InputQueue } from "../../src/tui/input-queue.ts";
import { typed, type InputEvent } from "../../src/tui/keys.ts";
import { layersOf, type Focus } from "../../src/tui/routing.ts";
import { Builder } from "../context/build.ts";
import { stage } from "./stage.ts";

const nothing: Focus = {
  question: "none",
  panel: false,
  search: false,
  completion: false,
  transcript: false,
};

test.each<[string, Partial<Focus>, string[]]>([
  ["the prompt", {}, ["screen", "prompt", "exit"]],
  ["completions", { completion: true }, ["completion", "screen", "prompt", "exit"]],
  ["an open panel", { panel: true, completion: true }, ["panel", "prompt", "exit"]],
  [
    "a question over a panel",
    { question: "answering", panel: true },
    ["question", "prompt", "exit"],
  ],
  ["a search term", { search: true, transcript: true }, ["search", "screen", "exit"]],
  ["a chosen item", { transcript: true }, ["transcript", "screen", "prompt", "exit"]],
])("%s has the keys", (_, focus, layers) => {
  expect([...layersOf({ ...nothing, ...focus })]).toEqual(layers as never);
});

test("a guarded question leaves the keys to the prompt", () => {
  expect(layersOf({ ...nothing, question: "guarded" })).toContain("prompt");
  expect(layersOf({ ...nothing, question: "guarded" })).not.toContain("screen");
});

test("an event waits for the promise of the previous one", async () => {
  const seen: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const queue = new InputQueue((event) => {
    if (event.type !== "key") return;
    seen.push(event.chord);
    return event.chord === "b" ? promise : undefined;
  });
  queue.push(...typed("abc"));
  queue.push(...typed("d"));
  expect(seen).toEqual(["a", "b"]);
  resolve();
  await promise;
  await Bun.sleep(0);
  expect(seen).toEqual(["a", "b", "c", "d"]);
});

test("the key after one that opens a panel goes to that panel, in the same read", async () => {
  const { press, store, sent, end } = stage(new Builder());
  await press("/mode\rplan\r");
  expect(sent).toEqual([{ type: "mode", mode: "plan" }]);
  expect(store.getState().panel).toBeNull();
  end();
});

test("Tab in the same read as the word waits for its completions", async () => {
  const files = async (query: string) => (query === "no" ? ["notes.txt"] : []);
  const { press, prompt, end } = stage(new Builder(), { services: { files } });
  await press("read @no\tplease");
  expect(prompt()).toBe("read @notes.txt please");
  end();
});

test("keys after a pasted image wait until it has been read", async () => {
  const image = {
    type: "image" as const,
    source: { type: "base64" as const, media_type: "image/png" as const, data: "AA==" },
  };
  const readImage = async () => image;
  const { emit, sent, end } = stage(new Builder(), { services: { readImage } });
  const enter: InputEvent = { type: "key", chord: "enter", text: "" };
  await emit({ type: "paste", text: "/tmp/a.png" }, ...typed(" look"), enter);
  expect(sent).toMatchObject([{ type: "prompt", content: [{ type: "image" }, { type: "text" }] }]);
  end();
});

test("a letter without a meaning for the selected item returns to the prompt", async () => {
  const built = new Builder();
  built.user("Hello.");
  const { press, prompt, end } = stage(built);
  await press("<ctrl+o>", "k", "x", "typed");
  expect(prompt()).toBe("xtyped");
  end();
});

test("a search typed and sent in one read shows its match", async () => {
  const built = new Builder();
  built.user("Read it.");
  built.step("c1", Array.from({ length: 200 }, (_, n) => `keeper ${n}`).join("\n"));
  const { controller, press, end } = stage(built);
  controller.transcript.frame(80, 20);
  await press("<ctrl+f>");
  await press("KEEPER 150\r");
  const { visible } = controller.transcript.frame(80, 20);
  expect(visible.lines.map(({ text }) => text).join("\n")).toContain("keeper 150");
  end();
});
