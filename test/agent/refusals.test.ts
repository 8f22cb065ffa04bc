/**
 * What the API would refuse for its content is found beforehand or repaired, so that no refusal
 * repeats forever.
 */

import { expect, test } from "bun:test";
import type { ImageBlock, UserBlock } from "../../src/protocol/block.ts";
import type { Entry, EntryOf } from "../../src/protocol/entry.ts";
import type { AgentEvent } from "../../src/protocol/event.ts";
import { noUsage } from "../../src/protocol/model.ts";
import { answer, makeReport, sessionWith } from "../facts.ts";
import { call, FakeApi, say, think, type Answer } from "../fake-api/index.ts";
import { png } from "../fake-api/png.ts";
import { fakeAgent, modelName as model } from "./fake-agent.ts";
import { of } from "./harness.ts";
import { MemoryLog } from "./memory-log.ts";
import { quietBoundaries } from "./quiet-boundaries.ts";
import { ScriptedToolbox, use } from "./scripted.ts";

const half = "\ud83d";
const text = (words: string): UserBlock => ({ type: "text", text: words });

type Shrink = (image: ImageBlock) => Promise<ImageBlock | null>;

type Options = { log?: MemoryLog; output?: string; shrinkImage?: Shrink };

/** An agent with the real client against the strict fake. */
async function bench(script: Answer[], options: Options = {}) {
  const { log = new MemoryLog(), output = "ok", shrinkImage } = options;
  const fake = new FakeApi({ model: { windowTokens: 200_000 } });
  fake.next(...script);
  const { send } = await fakeAgent({
    api: fake,
    log,
    toolbox: new ScriptedToolbox(async () => output),
    tools: ["read"],
    agent: { boundaries: () => quietBoundaries, ...(shrinkImage && { shrinkImage }) },
  });
  return {
    fake,
    log,
    ask: (...content: UserBlock[]) => send({ type: "prompt", content }),
    notes: () => of(log.path, "note").map((note) => note.text),
    /** The messages of the last request. */
    sent: () => JSON.stringify(fake.requests.at(-1)?.body?.messages),
    /** Changes the first entry of a type behind the agent's back. */
    change<T extends Entry["type"]>(type: T, how: (entry: EntryOf<T>) => EntryOf<T>): void {
      const at = log.path.findIndex((entry) => entry.type === type);
      const [entry] = of(log.path, type);
      if (!entry) throw new Error(`No ${type}.`);
      log.entries[at] = how(entry);
      log.path = log.path.with(at, how(entry));
    },
  };
}

const done: AgentEvent = { type: "idle", why: "done" };

test("half a character in a prompt, a result or a call is never sent", async () => {
  const json = `{"path":"a${"\\ud83d"}"}`;
  const broken = { content: [{ type: "tool_use", name: "read", id: "t1", json } as const] };
  const output = `cut in the middle ${half}`;
  const one = await bench([broken, say("fine"), say("still fine")], { output });
  expect(await one.ask(text(`look ${half}`))).toEqual(done);
  expect(await one.ask(text("again"))).toEqual(done);
  expect(one.fake.refusals).toEqual([]);
});

test("call ids and names from another server are rewritten, in call and result alike", async () => {
  const one = await bench([say("fine")]);
  const { log } = one;
  const ids = ["call:1", "call.1", ""];
  const calls = ids.map((id) => use(id, "server.read/it"));
  await log.append({ ...sessionWith(), model: "other" });
  await log.append({ type: "user", content: [text("go")] });
  await log.append(answer(noUsage, calls, { stop: "tool_use" }));
  for (const toolUse of ids)
    await log.append(makeReport({ toolUse, content: [text(`of ${toolUse}`)] }));
  await log.append({ type: "model", model });
  expect(await one.ask(text("go on"))).toEqual(done);
  expect(one.fake.refusals).toEqual([]);
  expect(one.sent()).toContain("of call:1");
  expect(one.sent()).toContain("of call.1");
});

const heavyPng = (width: number, bytes: number) => {
  const image = png(width);
  return { ...image, source: { ...image.source, data: image.source.data + "A".repeat(bytes) } };
};
const pngs = (count: number, width = 10) => Array.from({ length: count }, () => png(width));
const leftOut = "left out of the conversation";
const tooWide = `1 image was ${leftOut} (8,001 × 1 pixels; at most 8,000 a side).`;

/** The images of each message, what is noted, and the image that is sent all the same. */
test.each<[string, ImageBlock[][], notes: string[], ...kept: ImageBlock[]]>([
  ["one with a side over 8,000 px", [[png(8_001)], [png(8_001)]], [tooWide, tooWide]],
  ["the oldest of too many", [[...pngs(100), png(11)]], [`51 images were ${leftOut}`], png(11)],
  [
    "a large one before more than 20",
    [
      [png(3_000), ...pngs(19)],
      [png(10), png(11)],
    ],
    [`1 image was ${leftOut}`],
    png(11),
  ],
  ["those before a large one", [pngs(20), [png(3_000)]], [`11 images were ${leftOut}`], png(3_000)],
  [
    "one of 25 MB, which is said once",
    [[heavyPng(20, 25_000_000)], []],
    [`1 image was ${leftOut} (25 MB, more than a request may have).`],
  ],
  [
    "most of 30 MB together",
    [[1, 2, 3, 4, 5, 6].map((n) => heavyPng(20 + n, 5_000_000))],
    [`4 images were ${leftOut} (together they had 30 MB, more than a request may have`],
  ],
  ["none of 20 at the limits", [[png(8_000), png(1, 8_000), ...pngs(18)]], []],
  ["none of 100 at the limits", [pngs(100, 2_000)], []],
])("left out before the server refuses it: %s", async (_, messages, notes, ...kept) => {
  const one = await bench(messages.map(() => say("fine")));
  for (const images of messages) expect(await one.ask(text("look"), ...images)).toEqual(done);
  expect(one.fake.refusals).toEqual([]);
  const noted = one.notes().filter((note) => note.includes(leftOut));
  expect(noted).toEqual(notes.map((note) => expect.stringContaining(note)));
  for (const { source } of kept) expect(one.sent()).toContain(source.data);
});

test("after a refusal for its bytes, a request goes without its older images", async () => {
  const one = await bench([
    { status: 413, message: "Request exceeds the maximum size" },
    say("ok"),
  ]);
  expect(await one.ask(text("look"), png(10), png(11), png(12), png(13))).toEqual(done);
  expect(one.notes().join()).toContain("2 images were left out of the conversation");
});

test("a refused image in a tool result: the rest of the result stays", async () => {
  const one = await bench([{ content: [call("read", {}, "t1")] }, say("fine"), say("fine")]);
  await one.ask(text("look"));
  const wrong = { ...png(20), source: { ...png(20).source, media_type: "image/gif" as const } };
  one.change("result", (entry) => ({ ...entry, content: [...entry.content, png(30), wrong] }));
  expect(await one.ask(text("again"))).toEqual(done);
  expect(one.sent()).toContain(png(30).source.data);
  expect(one.sent()).toContain("[image left out: the API refused it]");
  expect(one.sent()).not.toContain(png(20).source.data);
});

test("an image that the API cannot read is refused once, left out, and the session continues", async () => {
  const one = await bench([say("fine"), say("fine"), say("fine")]);
  expect(await one.ask(text("look"), png(20))).toEqual(done);
  const { type, source } = png(40);
  const broken = { type, source: { ...source, data: source.data.slice(0, 52) } };
  expect(await one.ask(text("and this"), broken)).toEqual(done);
  expect(one.fake.refusals).toEqual(["Could not process image"]);
  expect(one.notes().join()).toContain("left out");
  const resumed = await bench([say("fine")], { log: one.log });
  expect(await resumed.ask(text("again"))).toEqual(done);
  expect(resumed.fake.refusals).toEqual([]);
  expect(resumed.sent()).toContain(png(20).source.data);
});

test("thinking after a gap in the log is refused once, dropped, and the session continues", async () => {
  const thought = (words: string) => ({ content: [think(words), ...say("fine").content] });
  const one = await bench(["one", "two", "three"].map(thought));
  for (const words of ["a", "b", "c"]) await one.ask(text(words));
  one.log.path = one.log.path.toSpliced(2, 1);
  const calling = { content: [think("four"), call("read", {}, "t1")] };
  one.fake.next(calling, thought("five"), say("fine"));
  expect(await one.ask(text("d"))).toEqual(done);
  expect(one.fake.refusals).toHaveLength(1);
  expect(one.fake.refusals[0]).toContain("bound to a different conversation");
  expect(one.notes().join()).toContain("thinking");
  expect(await one.ask(text("e"))).toEqual(done);
  expect(one.fake.refusals).toHaveLength(1);
});

test("thinking missing from the open turn: its steps are folded into text, once", async () => {
  const one = await bench([{ content: [think("one"), call("read", {}, "t1")] }, say("done")]);
  await one.ask(text("a"));
  // The turn was interrupted after its result, and the thinking before the call is lost.
  one.change("assistant", ({ content, ...entry }) => ({
    ...entry,
    content: content.filter(({ type }) => type !== "thinking"),
  }));
  one.log.path = one.log.path.slice(0, -1);
  one.fake.next(say("fine"), say("fine"));
  expect(await one.ask(text("b"))).toEqual(done);
  expect(one.fake.refusals.length).toBeGreaterThan(0);
  const refused = one.fake.refusals.length;
  expect(one.sent()).toContain("ok");
  expect(await one.ask(text("c"))).toEqual(done);
  expect(one.fake.refusals).toHaveLength(refused);
});

test.each([
  "max_tokens: 9 > 8, which is the maximum",
  "messages.0.content.0.cache_control.ttl: Input should be '5m' or '1h'",
  "qwen3-thinking-2507: temperature is not supported",
])("after “%s” nothing is left out", async (message) => {
  const one = await bench([
    { content: [think("one"), call("read", {}, "t1")] },
    { status: 400, message },
    say("fine"),
  ]);
  expect(await one.ask(text("look"), png(20))).toMatchObject({ why: "failed" });
  const types = one.log.path.map(({ type }) => type);
  expect(types).not.toContain("repair");
  expect(types).not.toContain("cut");
  expect(await one.ask(text("again"))).toEqual(done);
});

test("the note counts what is left out", async () => {
  const one = await bench([{ status: 400, message: "messages.0.content.0.text: no" }, say("fine")]);
  expect(await one.ask(text("look"), png(20))).toEqual(done);
  expect(one.notes()).toEqual(["1 block was left out of the conversation (the API refused it)."]);
  const two = await bench([{ status: 400, message: "Could not process image" }, say("fine")]);
  expect(await two.ask(text("look"), png(20), png(30))).toEqual(done);
  expect(two.notes()).toEqual(["2 images were left out of the conversation (the API refused it)."]);
  const same = await bench([
    { status: 400, message: "messages.0.content.1.text: no" },
    say("fine"),
  ]);
  expect(await same.ask(text("look"), text("a"), text("a"))).toEqual(done);
  expect(same.notes().join()).toStartWith("2 blocks were left out");
});

const refuse = (count: number) =>
  Array.from({ length: count }, () => ({
    status: 400,
    message: "messages.0.content.0.image: Could not process",
  }));
const pictures = Array.from({ length: 10 }, (_, index) => png(20 + index));

test("five refusals in a row are repaired, and as many again after an answer", async () => {
  const calling = { content: [call("read", {}, "t1")] };
  const one = await bench([...refuse(5), calling, ...refuse(5), say("fine")]);
  expect(await one.ask(...pictures)).toEqual(done);
  expect(of(one.log.path, "repair")).toHaveLength(10);
  const never = await bench(refuse(40));
  expect(await never.ask(...pictures)).toMatchObject({ why: "failed" });
  expect(never.fake.requests.filter(({ path }) => path === "/v1/messages")).toHaveLength(6);
});

const toTenth: Shrink = async ({ source }) => ({
  type: "image",
  source: { ...source, data: source.data.slice(0, Math.floor(source.data.length / 40) * 4) },
});

/** The bytes of each image that the last request had. */
const imageBytes = ({ sent }: Awaited<ReturnType<typeof bench>>): number[] =>
  [...sent().matchAll(/"data":"([^"]*)"/g)].map(([, data = ""]) => data.length);

test("near the server's limit for bytes the oldest images are shrunk, and the newest stays as it is", async () => {
  const one = await bench([say("fine"), say("fine")], { shrinkImage: toTenth });
  await one.ask(text("look"), ...[1, 2, 3, 4, 5, 6].map((n) => heavyPng(20 + n, 5_000_000)));
  const [oldest = 0, ...others] = imageBytes(one);
  expect(oldest).toBeLessThan(700_000);
  expect(others.map((bytes) => bytes > 5_000_000)).toEqual([false, false, false, false, true]);
  await one.ask(text("again"));
  expect(one.notes()).toEqual([
    "5 older images were shrunk to 1,024 pixels: a request may not have more bytes.",
  ]);
});

test("after a refusal for its bytes the only image is shrunk as well, and left out where that does not help", async () => {
  const refusal = { status: 413, message: "Request exceeds the maximum size" };
  const whole = heavyPng(20, 2_000_000);
  const once = await bench([refusal, say("fine")], { shrinkImage: toTenth });
  await once.ask(text("look"), whole);
  expect(imageBytes(once)[0]).toBeWithin(200_000, 210_000);
  expect(once.notes().join()).toStartWith("1 image was shrunk to 1,024 pixels:");
  const never = await bench([refusal, say("fine")], { shrinkImage: async () => null });
  await never.ask(text("look"), whole);
  expect(imageBytes(never)).toEqual([]);
  expect(never.notes()).toEqual([
    "1 image was left out of the conversation (2 MB, more than a request may have).",
  ]);
  const without = await bench([refusal], { shrinkImage: toTenth });
  expect(await without.ask(text("look"))).toMatchObject({ why: "failed" });
});

test("a server that refused even the smallest request is asked again with the next message", async () => {
  for (const [message, told] of [
    [
      "prompt is too long: 900000 tokens > 1000 maximum",
      "The system prompt and the tools alone need",
    ],
    // How large its window is, it does not say.
    ["prompt is too long", "The prompt is too long for"],
  ] as const) {
    const api = new FakeApi({ model: { windowTokens: 200_000 } });
    api.next({ status: 400, message }, say("It has a larger window now."));
    const { send, end } = await fakeAgent({ api, system: "You are a coding agent. ".repeat(300) });
    expect(await send({ type: "prompt", content: [text("look")] })).toMatchObject({
      why: "failed",
      message: expect.stringContaining(told),
    });
    expect(await send({ type: "prompt", content: [text("and now?")] })).toEqual(done);
    await end();
  }
});
