/** What a server asks the user while its tool runs. */

import { afterEach, expect, test } from "bun:test";
import { elicit } from "../../../src/extensions/mcp/elicitation.ts";
import type { Hub } from "../../../src/extensions/mcp/hub.ts";
import { blockText } from "../../../src/protocol/block.ts";
import type { Answer } from "../../../src/protocol/command.ts";
import type { Ask } from "../../../src/protocol/event.ts";
import { memoryTransport } from "./memory-transport.ts";
import { openHub, runTool, setup, stdioServer } from "./open-hub.ts";

let hub: Hub | undefined;
afterEach(() => hub?.close());

/** Makes the small server ask; returns the answer that it got, and the question. */
async function asked(answer: Answer): Promise<{ told: unknown; ask: Ask | undefined }> {
  hub = openHub([setup("small", stdioServer("--asks"))]);
  hub.start();
  await hub.settled(20_000);
  let ask: Ask | undefined;
  const { content } = await runTool(hub, "mcp__small__ask", {}, undefined, async (question) => {
    ask = question;
    return answer;
  });
  return { told: JSON.parse(blockText(content)), ask };
}

test("the user is shown a form, and the server gets the values that fit it", async () => {
  const input = { name: "Ada", age: 36, color: "blue", news: true, more: "not asked" };
  const { told, ask } = await asked({ allow: true, scope: "once", input });
  expect(told).toMatchObject({
    action: "accept",
    content: { name: "Ada", age: 36, news: true },
  });
  expect(JSON.stringify(told)).not.toMatch(/blue|not asked/);
  expect(ask).toMatchObject({
    title: "MCP server small asks you",
    detail: "Who are you?",
    rule: null,
    form: {
      fields: [
        { name: "name", label: "Name", isRequired: true, kind: "text" },
        { name: "age", label: "In years", isRequired: false, kind: "number", isInteger: true },
        { name: "color", kind: "choice", options: [{ value: "red" }, { value: "green" }] },
        { name: "news", kind: "yes-no" },
      ],
      defaults: { color: "green" },
    },
  });
});

test("a denial declines, and so does an answer without what is required", async () => {
  expect((await asked({ allow: false })).told).toMatchObject({ action: "decline" });
  await hub?.close();
  const { told } = await asked({ allow: true, scope: "once", input: { age: 1 } });
  expect(told).toMatchObject({ action: "decline" });
});

const yes = async (): Promise<Answer> => ({ allow: true, scope: "once" });
const schema = (properties: object) => ({ message: "m", requestedSchema: { properties } });

test("options with titles are shown by them, and more than 50 are declined", async () => {
  const options = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ const: `c${at}`, title: `Choice ${at}` }));
  let shown: Ask | undefined;
  const choose = async (ask: Ask): Promise<Answer> => {
    shown = ask;
    return { allow: true, scope: "once", input: { a: "c1" } };
  };
  const form = (count: number) => schema({ a: { type: "string", oneOf: options(count) } });
  expect(await elicit("s", form(2), choose)).toEqual({ action: "accept", content: { a: "c1" } });
  expect(shown?.form?.fields[0]).toMatchObject({
    options: [
      { value: "c0", label: "Choice 0" },
      { value: "c1", label: "Choice 1" },
    ],
  });
  expect(await elicit("s", form(50), choose)).toMatchObject({ action: "accept" });
  expect(await elicit("s", form(51), choose)).toEqual({ action: "decline" });
});

test("20 fields are shown, labelled as far as the server says, with the defaults that fit", async () => {
  const shown: Ask[] = [];
  const see = async (ask: Ask): Promise<Answer> => {
    shown.push(ask);
    return { allow: true, scope: "once" };
  };
  const some = Array.from({ length: 16 }, (_, at) => [`a${at}`, { type: "string" }]);
  const form = schema({
    ...Object.fromEntries(some),
    both: { type: "number", title: "Size", description: "In\nfeet", default: 1.5 },
    named: { type: "string", enum: ["r", "g"], enumNames: ["Red"], default: "x" },
    whole: { type: "integer", default: 1.5 },
    plain: { type: "string", default: "p" },
  });
  const content = { both: 1.5, plain: "p" };
  expect(await elicit("s", form, see)).toEqual({ action: "accept", content: {} });
  await elicit("s", form, see);
  const [first, second] = shown;
  expect(first?.form?.fields.slice(-4)).toEqual([
    { name: "both", label: "Size: In feet", isRequired: false, kind: "number", isInteger: false },
    {
      name: "named",
      label: "named",
      isRequired: false,
      kind: "choice",
      options: [
        { value: "r", label: "Red" },
        { value: "g", label: "g" },
      ],
    },
    { name: "whole", label: "whole", isRequired: false, kind: "number", isInteger: true },
    { name: "plain", label: "plain", isRequired: false, kind: "text" },
  ]);
  expect(first?.form?.defaults).toEqual(content);
  expect(first?.id).not.toBe(second?.id);
});

test("outside of a call a server cannot ask", async () => {
  const transport = memoryTransport();
  const told = Promise.withResolvers<unknown>();
  const { send } = transport;
  transport.send = async (message) =>
    "result" in message && message.id === "late" ? told.resolve(message.result) : send(message);
  hub = openHub([setup("small", { type: "sdk" })]);
  await hub.connect("small", transport);
  await runTool(hub, "mcp__small__echo", { text: "hi" }, undefined, yes);
  const params = { ...schema({}), requestedSchema: { type: "object" as const, properties: {} } };
  transport.onmessage?.({ jsonrpc: "2.0", id: "late", method: "elicitation/create", params });
  expect(await told.promise).toMatchObject({ action: "decline" });
});

test("an invalid or oversized form is declined without a question", async () => {
  const many = Object.fromEntries(
    Array.from({ length: 21 }, (_, at) => [`a${at}`, { type: "string" }]),
  );
  for (const params of [
    {},
    { message: "m", mode: "url", url: "https://a.example" },
    schema({ a: { type: "object" } }),
    schema({ "a b": { type: "string" } }),
    schema(many),
  ]) {
    let isAsked = false;
    const answer = await elicit("s", params, async () => {
      isAsked = true;
      return yes();
    });
    expect([answer, isAsked]).toEqual([{ action: "decline" }, false]);
  }
  expect(await elicit("s", schema({}), undefined)).toEqual({ action: "decline" });
  expect(await elicit("s", schema({}), yes)).toEqual({ action: "accept", content: {} });
});
