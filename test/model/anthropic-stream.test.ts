import { expect, test } from "bun:test";
import { readEvent } from "../../src/model/anthropic/events.ts";
import { AnswerReader } from "../../src/model/anthropic/answer.ts";

/** The blocks of an answer with a single block, which starts like this and grows by these deltas. */
function blocks(content_block: object, ...deltas: object[]): unknown[] {
  const reader = new AnswerReader();
  const events = [
    { type: "content_block_start", index: 0, content_block },
    ...deltas.map((delta) => ({ type: "content_block_delta", index: 0, delta })),
    { type: "content_block_stop", index: 0 },
  ];
  return events
    .flatMap((raw) => {
      const event = readEvent(raw);
      if (event === null) throw new Error(`not an event: ${JSON.stringify(raw)}`);
      return [...reader.read(event)];
    })
    .flatMap((event) => (event.type === "block" ? [event.block] : []));
}

test("a server's summary grows part by part, and holds exactly what arrived", () => {
  const sealed = { type: "signature_delta", signature: "se" };
  const said = { type: "compaction_delta", content: "The " };
  expect(
    blocks(
      { type: "compaction", content: null },
      said,
      { type: "compaction_delta", content: "gist.", encrypted_content: "opaque" },
      sealed,
      { ...sealed, signature: "al" },
    ),
  ).toEqual([
    { type: "compaction", content: "The gist.", encrypted_content: "opaque", signature: "seal" },
  ]);
  expect(Object.keys(Object(blocks({ type: "compaction" }, said)[0]))).toEqual(["type", "content"]);
});

test("a delta of another kind than its block changes nothing", () => {
  const text = { type: "text", text: "a" };
  expect(
    blocks(
      text,
      { type: "thinking_delta", thinking: "x" },
      { type: "signature_delta", signature: "x" },
      { type: "compaction_delta", content: "x" },
      { type: "input_json_delta", partial_json: "{}" },
    ),
  ).toEqual([text]);
});
