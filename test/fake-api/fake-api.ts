/**
 * A Messages API that refuses what the real one refuses, in its own words, and bills a prompt
 * cache. It is pure but for the clock: requests in, responses out, over HTTP or called as `fetch`.
 */

import type { Answer, AnswerBlock, Failed, Responder, Said } from "./answers.ts";
import { checkConversation } from "./conversation.ts";
import { FakeClock } from "./fake-clock.ts";
import { bindingBeta, checkBetas, checkLimits, checkMarks, thinks } from "./limits.ts";
import { fakeModels, type FakeModel } from "./models.ts";
import { checkImages } from "./images.ts";
import { OpenTurns } from "./open-turn.ts";
import { listPieces } from "./pieces.ts";
import { PromptCache, type Billed } from "./prompt-cache.ts";
import { invalid, Refusal } from "./refusal.ts";
import { toBlocks, parseRequest, type ApiRequest } from "./schema.ts";
import { toEvents, toMessage, toStream } from "./sse.ts";
import { Seals, type Checked } from "./seals.ts";
import { countTokens } from "./tokens.ts";
import { Writer, type Written } from "./writer.ts";

export type FakeApiOptions = {
  /** Used instead of a script. */
  responder?: Responder;
  /** Changes to every model: a smaller window, unbound thinking. */
  model?: Partial<FakeModel>;
  /** The only accepted key. Default: any. */
  key?: string;
  clock?: FakeClock;
  /** How many of the newest requests are kept for inspection. Default: 1,000. */
  keepRequests?: number;
  /** Otherwise /v1/models answers 404, as gateways do. */
  modelsApi?: boolean;
};

export type Recorded = {
  path: string;
  headers: Headers;
  body: ApiRequest | null;
};

type Accepted = {
  request: ApiRequest;
  model: FakeModel;
  checked: Checked;
  promptTokens: number;
};

export class FakeApi {
  readonly clock: FakeClock;
  readonly requests: Recorded[] = [];
  /** Errors that must fail the test: the script ran out, or the fake itself failed. */
  readonly failures: string[] = [];
  /** Every refusal by a rule, in order. */
  readonly refusals: string[] = [];
  readonly #options: FakeApiOptions;
  readonly #script: Answer[] = [];
  readonly #seals = new Seals();
  readonly #writer = new Writer(this.#seals);
  readonly #turns = new OpenTurns();
  readonly #cache: PromptCache;
  #accepted = 0;
  #stalls: (() => void)[] = [];

  constructor(options: FakeApiOptions = {}) {
    this.#options = options;
    this.clock = options.clock ?? new FakeClock();
    this.#cache = new PromptCache(this.clock.now);
  }

  /** Adds to the script: answers, or only their blocks. */
  next(...answers: (Answer | AnswerBlock[])[]): void {
    for (const answer of answers)
      this.#script.push(Array.isArray(answer) ? { content: answer } : answer);
  }

  /** The bodies of all readable calls, in order. */
  get bodies(): ApiRequest[] {
    return this.requests.flatMap(({ body }) => body ?? []);
  }

  /** Resolves when the next stream stops sending. */
  stalled(): Promise<void> {
    return new Promise((resolve) => this.#stalls.push(resolve));
  }

  /** Bound, so that it can replace `fetch`. */
  readonly fetch = (url: string | URL | Request, init?: RequestInit): Promise<Response> =>
    this.handle(url instanceof Request ? new Request(url, init) : new Request(String(url), init));

  readonly handle = async (http: Request): Promise<Response> => {
    const { pathname } = new URL(http.url);
    const recorded: Recorded = { path: pathname, headers: http.headers, body: null };
    this.requests.push(recorded);
    if (this.requests.length > (this.#options.keepRequests ?? 1_000)) this.requests.shift();
    const requestId = `req_fake${this.requests.length}`;
    try {
      return await this.#route(http, pathname, recorded, requestId);
    } catch (error) {
      const refusal = error instanceof Refusal ? error : this.#ownFault(error);
      if (error instanceof Refusal) this.refusals.push(refusal.message);
      return json(refusal.body(requestId), refusal.status, { "request-id": requestId });
    }
  };

  #ownFault(error: unknown): Refusal {
    const message = error instanceof Error ? error.message : String(error);
    this.failures.push(message);
    return new Refusal(500, "api_error", message);
  }

  async #route(http: Request, path: string, recorded: Recorded, id: string): Promise<Response> {
    this.#authenticate(http.headers);
    const model = /^\/v1\/models\/([^/]+)$/.exec(path)?.[1];
    if (http.method === "GET" && model !== undefined) return this.#describe(model);
    if (http.method !== "POST" || !["/v1/messages", "/v1/messages/count_tokens"].includes(path))
      throw new Refusal(404, "not_found_error", "Not Found");
    const counting = path.endsWith("count_tokens");
    const request = parseRequest(await http.text(), counting);
    recorded.body = request;
    const accepted = this.#accept(request, http.headers, counting);
    if (counting) return json({ input_tokens: accepted.promptTokens });
    return this.#answer(accepted, http, id);
  }

  #authenticate(headers: Headers): void {
    const bearer = headers.get("authorization")?.replace(/^Bearer /, "");
    const key = headers.get("x-api-key") || bearer;
    if (!key) throw new Refusal(401, "authentication_error", "x-api-key header is required");
    if (this.#options.key !== undefined && key !== this.#options.key)
      throw new Refusal(401, "authentication_error", "invalid x-api-key");
    if (headers.get("anthropic-version") === null)
      throw invalid("anthropic-version: header is required");
  }

  #modelOf(name: string): FakeModel {
    const model = fakeModels[name];
    if (model === undefined) throw new Refusal(404, "not_found_error", `model: ${name}`);
    return { ...model, ...this.#options.model };
  }

  #describe(name: string): Response {
    if (this.#options.modelsApi === false) throw new Refusal(404, "not_found_error", "Not Found");
    const { windowTokens, outputTokens, thinking, compacts } = this.#modelOf(name);
    return json({
      type: "model",
      id: name,
      display_name: name,
      created_at: "2026-11-01T00:00:00Z",
      max_input_tokens: windowTokens,
      max_tokens: outputTokens,
      capabilities: {
        thinking: { supported: thinking !== "none" },
        context_management: { supported: compacts || thinking === "bound" },
      },
    });
  }

  /** Throws a `Refusal` for every rule that the request breaks. */
  #accept(request: ApiRequest, headers: Headers, counting: boolean): Accepted {
    const model = this.#modelOf(request.model);
    const betas = (headers.get("anthropic-beta") ?? "").split(",").map((beta) => beta.trim());
    const pieces = listPieces(request);
    checkBetas(request, betas, model, pieces);
    if (!counting) checkLimits(request, request.model, model);
    checkConversation(request);
    this.#writer.check(request.messages.flatMap(toBlocks));
    checkMarks(pieces);
    checkImages(request.messages, model);
    const thinking = thinks(request, model);
    const checked = this.#seals.check(pieces, request.model, this.#mismatch(request, model));
    if (thinking) this.#turns.check(request.messages);
    const promptTokens = checked.pieces.reduce((sum, { tokens }) => sum + tokens, 0);
    if (!counting && promptTokens > model.windowTokens)
      throw invalid(`prompt is too long: ${promptTokens} tokens > ${model.windowTokens} maximum`);
    return { request, model, checked, promptTokens };
  }

  #mismatch({ thinking }: ApiRequest, model: FakeModel): "error" | "drop" | "ignore" {
    if (model.thinking !== "bound") return "ignore";
    const binding = thinking && "block_binding" in thinking ? thinking.block_binding : null;
    return binding?.prefix_mismatch_behavior === "drop_block" ? "drop" : "error";
  }

  async #answer(accepted: Accepted, http: Request, requestId: string): Promise<Response> {
    const { request } = accepted;
    const index = this.#accepted;
    this.#accepted += 1;
    const refused = this.#script[0] && "status" in this.#script[0];
    if (request.max_tokens === 0 && !refused) return this.#warm(accepted, index);
    const answer = await this.#chooseAnswer(accepted, index);
    if ("status" in answer) return refuse(answer, requestId);
    const written = this.#write(accepted, answer);
    this.#turns.remember(written.blocks.map(({ block }) => block));
    const { checked, model } = accepted;
    const billed = this.#cache.bill(request, checked.pieces, model.cacheMinimumTokens);
    const { summaryTokens } = written;
    const usage = summaryTokens === undefined ? billed : asIteration(billed, summaryTokens);
    const reports = (http.headers.get("anthropic-beta") ?? "").includes(bindingBeta);
    const envelope = {
      id: `msg_fake${index + 1}`,
      model: request.model,
      usage: { ...usage, ...countSearches(answer) },
      transformations: reports && model.thinking !== "none" ? checked.transformations : null,
    };
    if (request.stream !== true) return json(toMessage(written, envelope));
    const stream = toStream(toEvents(written, answer, envelope), answer, () => {
      this.#stalls.shift()?.();
    });
    return new Response(stream, {
      headers: { "content-type": "text/event-stream", "request-id": requestId },
    });
  }

  /** Fills the cache without an answer. */
  #warm({ request, model, checked }: Accepted, index: number): Response {
    const usage = this.#cache.bill(request, checked.pieces, model.cacheMinimumTokens);
    const envelope = { id: `msg_fake${index + 1}`, model: request.model, usage };
    const written = { blocks: [], stop: "max_tokens", outputTokens: 0 };
    return json(toMessage(written, { ...envelope, transformations: null }));
  }

  async #chooseAnswer({ request }: Accepted, index: number): Promise<Answer> {
    const scripted = this.#script.shift();
    if (scripted !== undefined) return scripted;
    if (this.#options.responder !== undefined) return this.#options.responder(request);
    throw new Error(`The script has no answer for call ${index + 1}.`);
  }

  #write(accepted: Accepted, said: Said): Written {
    const { request, model, checked, promptTokens } = accepted;
    if (request.compaction != null) return this.#compact(accepted, said);
    const left = model.windowTokens - promptTokens;
    const room =
      left < request.max_tokens
        ? { tokens: left, stop: "model_context_window_exceeded" }
        : { tokens: request.max_tokens, stop: "max_tokens" };
    const asked =
      request.thinking && "display" in request.thinking ? request.thinking.display : null;
    const display = asked ?? model.display;
    const content = said.content.filter(
      ({ type }) => thinks(request, model) || !type.endsWith("thinking"),
    );
    return this.#writer.write({ ...said, content }, request.model, checked.standing, display, room);
  }

  #compact({ request, checked }: Accepted, said: Said): Written {
    const content = said.content.map((block) => (block.type === "text" ? block.text : "")).join("");
    const signature = this.#seals.sign(content, request.model, checked.standing).seal;
    const block = { type: "compaction" as const, content, encrypted_content: null, signature };
    const summaryTokens = countTokens(content);
    return {
      blocks: [{ block, json: "" }],
      stop: "compaction",
      outputTokens: 0,
      summaryTokens,
    };
  }
}

/** A compaction is billed as an iteration, whose tokens are not in the usage itself. */
const asIteration = (billed: Billed, outputTokens: number) => ({
  ...unbilled,
  iterations: [{ type: "compaction", ...billed, output_tokens: outputTokens }],
});

const unbilled: Billed = {
  input_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
};

/** A failed search is not billed. */
function countSearches({ content }: Said) {
  const count = content.filter((one) => one.type === "search" && Array.isArray(one.found)).length;
  return count === 0 ? {} : { server_tool_use: { web_search_requests: count } };
}

function refuse({ status, message, headers }: Failed, requestId: string): Response {
  const type = types[status] ?? "api_error";
  const refusal = new Refusal(status, type, message ?? "the script says no");
  return json(refusal.body(requestId), status, { "request-id": requestId, ...headers });
}

const types: Record<number, string> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};

const json = (body: object, status = 200, headers: Record<string, string> = {}): Response =>
  Response.json(body, { status, headers });
