import { expect, test } from "bun:test";
import { toParams, encodeBody } from "../../src/model/anthropic/request.ts";
import type { ThinkingWire } from "../../src/model/catalog.ts";
import type { Message } from "../../src/protocol/model.ts";
import { buildRequest, user } from "./calls.ts";

const wire: ThinkingWire = { on: "adaptive", off: "disabled", efforts: [] };

const params = (...messages: Message[]) => toParams(buildRequest({ messages }), wire, true);

const joinText = (request: { messages: readonly object[] }): string =>
  new TextDecoder().decode(encodeBody(request));

test("a body is the request as JSON", () => {
  for (const request of [
    params(user("a “quote” 🙂"), { role: "assistant", content: [] }, user("b")),
    params(user("alone")),
    params(),
  ])
    expect(JSON.parse(joinText(request))).toEqual(JSON.parse(JSON.stringify(request)));
});

test("a message that was sent before is not serialized again", () => {
  let reads = 0;
  const block = new Proxy(
    { type: "text" as const, text: "a long history" },
    {
      get(of, key) {
        if (key === "text") reads++;
        return Reflect.get(of, key);
      },
    },
  );
  const old: Message = { role: "user", content: [block] };
  joinText(params(old));
  expect(reads).toBe(1);
  const next = joinText(params(old, { role: "assistant", content: [] }, user("new")));
  expect(next).toContain("a long history");
  expect(reads).toBe(1);
});
