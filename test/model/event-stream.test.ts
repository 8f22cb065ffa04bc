import { expect, test } from "bun:test";
import { readEventStream, type StreamPart } from "../../src/model/event-stream.ts";

async function* inPieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const read = (text: string, size: number): Promise<StreamPart[]> =>
  Array.fromAsync(readEventStream(inPieces(text, size)));

const event = (data: string, name = ""): StreamPart => ({ is: "event", name, data });

test.each<[string, StreamPart[]]>([
  ["data: a\n\ndata: b\n\n", [event("a"), event("b")]],
  ["data:a\r\n\r\ndata: “b”\r\n\r\n", [event("a"), event("“b”")]],
  ["data: a\r\rdata: b\r\r", [event("a"), event("b")]],
  ["event: x\ndata: a\n\ndata: b\n\n", [event("a", "x"), event("b")]],
  ["data: a\ndata:  b\n\n", [event("a\n b")]],
  [": ping\n\nevent: x\n\ndata: a\n\n", [event("a")]],
  ["id: 1\ndatas: no\ndata\ndata:\n\n", []],
  ["\n\n data: no\ndata: a", [event("a")]],
  ["", []],
  [' {"error":1}\n', [{ is: "document", text: ' {"error":1}\n' }]],
  ["<html>\n\nno", [{ is: "document", text: "<html>\n\nno" }]],
])("%j, in pieces of any size", async (text, parts) => {
  for (const size of [1, 2, 3, 5, 1_000]) expect(await read(text, size)).toEqual(parts);
});

test("an event is passed on before the next one comes", async () => {
  const next = Promise.withResolvers<Uint8Array>();
  const encoder = new TextEncoder();
  async function* body(): AsyncGenerator<Uint8Array> {
    yield encoder.encode("data: a\n\ndata: b");
    yield await next.promise;
  }
  const events = readEventStream(body());
  expect((await events.next()).value).toEqual(event("a"));
  next.resolve(encoder.encode("c\n\n"));
  expect((await events.next()).value).toEqual(event("bc"));
  expect((await events.next()).done).toBe(true);
});
