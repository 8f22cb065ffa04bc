/** A model on loopback whose answer the prompt determines, token by token. */

import { codeBlock, markdown, tokensPerLine } from "./markdown.ts";

export type BenchModel = { url: string; stop(): void };

/** The pause between the part that is sent at once and the rest, so that each can be measured. */
const pauseMs = 4_000;

type Emit = (type: string, event: object) => void;

/**
 * "stream 2000 100 a": 2,000 tokens of Markdown, 100 a second, then "done-a". "code 2000 600 100 b": the
 * same in a code block whose first 2,000 lines came some seconds before. "tools 200 c": 200 calls with a text each.
 */
export function startModel(): BenchModel {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      if (!new URL(request.url).pathname.endsWith("/messages"))
        return Response.json(
          { type: "error", error: { type: "not_found_error", message: "" } },
          { status: 404 },
        );
      const body = await request.text();
      return new Response(
        makeStream((emit) => answer(body, emit)),
        {
          headers: { "content-type": "text/event-stream" },
        },
      );
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, stop: () => void server.stop(true) };
}

const makeStream = (work: (emit: Emit) => Promise<void>): ReadableStream<string> =>
  new ReadableStream({
    async start(controller) {
      await work((type, event) => {
        controller.enqueue(`event: ${type}\ndata: ${JSON.stringify({ type, ...event })}\n\n`);
      });
      controller.close();
    },
  });

async function answer(body: string, emit: Emit): Promise<void> {
  const usage = { input_tokens: Math.ceil(body.length / 4), output_tokens: 1 };
  const message = {
    id: "m",
    type: "message",
    role: "assistant",
    content: [],
    model: "bench",
    usage,
  };
  emit("message_start", { message: { ...message, stop_reason: null, stop_sequence: null } });
  const script = body.matchAll(/\brun:(\w+) ([\w .-]*?\w)"/g);
  const [, verb, rest = ""] = [...script].at(-1) ?? [];
  const args = rest.split(" ");
  const [count = 0, second = 0, rate = 0] = args.map(Number);
  const called =
    body.slice(body.lastIndexOf(`run:${verb} ${rest}`)).split('"tool_result"').length - 1;
  let stop = "end_turn";
  if (verb === "stream") await say(emit, markdown(), 0, count, second);
  else if (verb === "code") await say(emit, codeBlock(), count * tokensPerLine, second, rate);
  else if (verb === "tools" && called < count) stop = "tool_use";
  if (stop === "tool_use") callTool(emit, called);
  else text(emit, 9, [`\n\ndone-${args.at(-1)}`]);
  emit("message_delta", { delta: { stop_reason: stop, stop_sequence: null }, usage });
  emit("message_stop", {});
}

/** `atOnce` tokens, then `count` at `rate` a second: paced by the clock, or late ones would add up. */
async function say(
  emit: Emit,
  tokens: Generator<string>,
  atOnce: number,
  count: number,
  rate: number,
): Promise<void> {
  emit("content_block_start", { index: 0, content_block: { type: "text", text: "" } });
  const next = (): void => {
    const delta = { type: "text_delta", text: tokens.next().value };
    emit("content_block_delta", { index: 0, delta });
  };
  for (let n = 0; n < atOnce; n++) next();
  if (atOnce > 0) await Bun.sleep(pauseMs);
  const from = performance.now();
  for (let n = 0; n < count; n++) {
    const due = from + (n * 1_000) / rate;
    if (due > performance.now()) await Bun.sleep(due - performance.now());
    next();
  }
  emit("content_block_stop", { index: 0 });
}

function text(emit: Emit, index: number, pieces: readonly string[]): void {
  emit("content_block_start", { index, content_block: { type: "text", text: "" } });
  for (const piece of pieces)
    emit("content_block_delta", { index, delta: { type: "text_delta", text: piece } });
  emit("content_block_stop", { index });
}

function callTool(emit: Emit, called: number): void {
  const lines = Array.from({ length: 20 }, (_, n) => `- step ${called}.${n} of the work in hand\n`);
  text(emit, 0, lines);
  const block = { type: "tool_use", id: `t${called}`, name: "Bash", input: {} };
  emit("content_block_start", { index: 1, content_block: block });
  const input = JSON.stringify({
    command: `seq ${called * 30} ${called * 30 + 29}`,
    description: "Count",
  });
  emit("content_block_delta", {
    index: 1,
    delta: { type: "input_json_delta", partial_json: input },
  });
  emit("content_block_stop", { index: 1 });
}
