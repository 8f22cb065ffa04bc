/** A Messages API on loopback that refuses whatever the real one refuses, and bills its cache. */

import { PromptCache } from "./cache.ts";
import { checkShape } from "./rules.ts";
import { eventsOf, type Answer } from "./stream.ts";
import { checkLatestTurn, checkThinking, remember, sign } from "./thinking.ts";
import {
  invalid,
  Refusal,
  tokensOf,
  wireRequest,
  type WireBlock,
  type WireRequest,
} from "./wire.ts";

export type Scripted = WireBlock[] | Answer | Refusal;

export type FakeOptions = {
  windowTokens?: number;
  outputTokens?: number;
  cacheMinimumTokens?: number;
  /** Thinking is bound to its prefix; on unless told. */
  bound?: boolean;
  now?(): number;
  /** Answers when the script is empty; without it, an empty script fails the test. */
  respond?(request: WireRequest): Scripted;
};

export type FakeApi = {
  url: string;
  /** Bodies of all calls that were answered or refused, in order. */
  requests: WireRequest[];
  /** Every refusal that the script did not ask for. */
  refusals: string[];
  next(...answers: Scripted[]): void;
  stop(): void;
};

export function startFakeApi(options: FakeOptions = {}): FakeApi {
  const { windowTokens = 200_000, outputTokens = 128_000, bound = true, now = Date.now } = options;
  const cache = new PromptCache(options.cacheMinimumTokens ?? 1_024);
  const made = new Map<string, string>();
  const script: Scripted[] = [];
  const requests: WireRequest[] = [];
  const refusals: string[] = [];

  function check(request: WireRequest, betas: string[]): number {
    checkShape(request);
    if (request.max_tokens > outputTokens)
      throw invalid(
        `max_tokens: ${request.max_tokens} > ${outputTokens}, which is the maximum allowed number of output tokens`,
      );
    const tokens = tokensOf([request.system, request.tools, request.messages]);
    if (tokens > windowTokens)
      throw invalid(`prompt is too long: ${tokens} tokens > ${windowTokens} maximum`);
    if (!bound) return 0;
    checkLatestTurn(request, made);
    return checkThinking(request, betas);
  }

  async function messages(call: Request): Promise<Response> {
    const parsed = wireRequest.safeParse(await call.json());
    if (!parsed.success)
      throw invalid(
        parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; "),
      );
    const request = parsed.data;
    requests.push(request);
    const dropped = check(request, (call.headers.get("anthropic-beta") ?? "").split(","));
    const given = script.shift() ?? options.respond?.(request);
    if (!given) throw new Refusal(500, "api_error", "The script of the fake API has run dry.");
    if (given instanceof Refusal) throw given;
    const answer: Answer = Array.isArray(given) ? { blocks: given } : given;
    // A thinking block without a signature gets the one that it would have.
    const blocks = answer.blocks.map((block) =>
      block.type === "thinking" && block.signature === undefined
        ? { ...block, signature: sign(request, block.thinking ?? "") }
        : block,
    );
    remember({ role: "assistant", content: blocks }, made);
    return stream(
      { ...answer, blocks },
      eventsOf({ ...answer, blocks }, cache.bill(request, now()), request.model, dropped),
    );
  }

  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(call) {
      try {
        const { pathname } = new URL(call.url);
        const key = call.headers.get("x-api-key") ?? call.headers.get("authorization");
        if (!key || /wrong/.test(key))
          throw new Refusal(401, "authentication_error", "invalid x-api-key");
        if (!call.headers.get("anthropic-version"))
          throw invalid("anthropic-version: header is required");
        if (pathname === "/v1/messages") return await messages(call);
        if (pathname === "/v1/messages/count_tokens") {
          const {
            system,
            tools,
            messages: all,
          } = wireRequest.omit({ max_tokens: true }).parse(await call.json());
          return Response.json({ input_tokens: tokensOf([system, tools, all]) });
        }
        const model = /^\/v1\/models\/(.+)$/.exec(pathname)?.[1];
        if (!model || /unknown/.test(model))
          throw new Refusal(404, "not_found_error", `model: ${model ?? pathname}`);
        return Response.json({
          type: "model",
          id: model,
          display_name: model,
          created_at: "2026-01-01T00:00:00Z",
          max_input_tokens: windowTokens,
          max_tokens: outputTokens,
          capabilities: null,
        });
      } catch (error) {
        const refusal =
          error instanceof Refusal ? error : new Refusal(500, "api_error", String(error));
        if (refusal.status === 400 || refusal.status === 500) refusals.push(refusal.message);
        const body = {
          type: "error",
          error: { type: refusal.type, message: refusal.message },
          request_id: "req_fake",
        };
        return Response.json(body, { status: refusal.status, headers: refusal.headers });
      }
    },
  });

  return {
    url: server.url.origin,
    requests,
    refusals,
    next: (...answers) => void script.push(...answers),
    stop: () => void server.stop(true),
  };
}

/** Overloaded before anything was said. */
export const overloaded = (headers: Record<string, string> = {}): Refusal =>
  new Refusal(529, "overloaded_error", "Overloaded", headers);

function stream(answer: Answer, events: readonly string[]): Response {
  const { breaks } = answer;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const encoder = new TextEncoder();
      const sent = breaks ? events.slice(0, breaks.after) : events;
      for (const event of sent) controller.enqueue(encoder.encode(event));
      if (breaks?.how === "overloaded") {
        const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
        controller.enqueue(encoder.encode(`event: error\ndata: ${JSON.stringify(error)}\n\n`));
      }
      if (breaks?.how !== "silence") controller.close();
    },
  });
  return new Response(body, {
    headers: { "content-type": "text/event-stream", "request-id": "req_fake" },
  });
}
