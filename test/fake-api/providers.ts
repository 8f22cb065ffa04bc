/**
 * Servers of OpenAI's kind, one strict fake each: what it refuses, in words from which a client can learn,
 * and the shape in which it answers. Every fake first makes a call of the tool `Read`, then says "Done."
 */

import { isRecord } from "../../src/base/guards.ts";

type Json = Record<string, unknown>;

export type ChatBody = {
  messages: (Json & {
    role: string;
    content?: unknown;
    tool_calls?: (Json & { id: string; function: Json })[];
  })[];
  tools?: { function: { name: string; parameters: Json } }[];
} & Json;

type Refusal = [status: number, error: unknown];

export type Provider = {
  /** The address that users have in their settings. */
  baseUrl: string;
  model: string;
  /** The path that exists. */
  path: string;
  /** A refusal; null: the body is as this provider wants it. */
  refuse(body: ChatBody): Refusal | null;
  /** Chunks of an answer with a call, and of one with words. */
  call: object[];
  words: object[];
  /** Counted tokens of the prompt, and those read from a cache. */
  usage: { prompt: number; cached: number };
};

const choice = (delta: object, finish_reason: string | null = null, more: object = {}) => ({
  id: "c1",
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta, finish_reason, ...more }],
});

const args = '{"file_path":"README.md"}';
const toolCall = (id: string, more: object = {}) => ({
  tool_calls: [
    { index: 0, id, type: "function", function: { name: "Read", arguments: args }, ...more },
  ],
});
const counted = { prompt_tokens: 900, completion_tokens: 12, total_tokens: 912 };
const cachedTokens = (cached_tokens: number) => ({
  ...counted,
  prompt_tokens_details: { cached_tokens },
});
const alone = (usage: object) => ({ id: "c1", choices: [], usage });

const answers = (id: string, usage: object, more: object = {}) => ({
  call: [choice(toolCall(id, more)), choice({}, "tool_calls"), alone(usage)],
  words: [choice({ role: "assistant", content: "Done." }), choice({}, "stop"), alone(usage)],
});
type Given = Pick<Provider, "baseUrl" | "model"> &
  Partial<Provider> & {
    /** Of its calls. */
    id?: string;
    /** What it counts. */
    count?: object;
  };

/** What is not given is as with most providers. */
const provide = ({ id = "call_1", count = counted, ...given }: Given): Provider => ({
  path: "/v1/chat/completions",
  refuse: () => null,
  usage: { prompt: 900, cached: 0 },
  ...answers(id, count),
  ...given,
});

const because = (message: string, more: object = {}, status = 400): Refusal => [
  status,
  { error: { message, ...more } },
];
const openAiError = (message: string): Refusal =>
  because(message, { type: "invalid_request_error", param: null });

function findSchema(value: unknown, isBad: (schema: Json) => boolean): boolean {
  if (Array.isArray(value)) return value.some((inner) => findSchema(inner, isBad));
  return (
    isRecord(value) &&
    (isBad(value) || Object.values(value).some((inner) => findSchema(inner, isBad)))
  );
}

/** The first tool whose parameters contain such a schema. */
const badTool = ({ tools }: ChatBody, isBad: (schema: Json) => boolean) =>
  tools?.find(({ function: { parameters } }) => findSchema(parameters, isBad))?.function;

const callsOf = ({ messages }: ChatBody) => messages.flatMap(({ tool_calls = [] }) => tool_calls);

/** A message with calls lacks this field. */
const lacks = ({ messages }: ChatBody, field: string): boolean =>
  messages.some((message) => message.tool_calls && message[field] === undefined);

/** Refuses objects without properties, and any `max_tokens`. */
function openai(body: ChatBody): Refusal | null {
  const bad = badTool(
    body,
    (schema) => schema["type"] === "object" && !isRecord(schema["properties"]),
  );
  if (bad) return openAiError(`Invalid schema for function '${bad.name}': missing properties.`);
  if ("max_tokens" in body)
    return openAiError("'max_tokens' is not supported. Use 'max_completion_tokens' instead.");
  return callsOf(body).some(({ id }) => id.length > 40)
    ? openAiError("Invalid 'messages[2].tool_calls[0].id': expected a maximum length of 40.")
    : null;
}

const deepSeekCount = { ...counted, prompt_cache_hit_tokens: 640, prompt_cache_miss_tokens: 260 };
const moonshotCount = { usage: { ...counted, cached_tokens: 700 } };
const groqCount = { x_groq: { id: "r", usage: counted } };
const thought = (reasoning: string) => ({
  content: "",
  reasoning,
  reasoning_details: [
    { type: "reasoning.text", text: reasoning, index: 0, format: "google-gemini-v1" },
  ],
});
const sealedThought = { data: "c2ln", id: "tool_0_Read", index: 1, format: "google-gemini-v1" };

const given: Record<string, Given> = {
  openai: {
    baseUrl: "https://api.openai.com/v1/chat/completions",
    model: "gpt-5.5",
    refuse: openai,
    count: cachedTokens(800),
    usage: { prompt: 100, cached: 800 },
  },
  openrouter: {
    baseUrl: "https://openrouter.ai/api/v1",
    model: "google/gemini-3-pro",
    path: "/api/v1/chat/completions",
    refuse: (body) =>
      lacks(body, "reasoning_details")
        ? because("Gemini models require reasoning_details to be preserved in each request.")
        : null,
    call: [
      choice({ role: "assistant", ...thought("Look") }),
      choice(thought(" first.")),
      choice({
        ...toolCall("tool_0_Read"),
        reasoning_details: [{ type: "reasoning.encrypted", ...sealedThought }],
      }),
      choice({}, "tool_calls", { native_finish_reason: "STOP" }),
      alone(counted),
    ],
  },
  gemini: {
    baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
    model: "gemini-3-pro",
    path: "/v1beta/openai/chat/completions",
    refuse(body) {
      const invalid = (message: string): Refusal => [
        400,
        [{ error: { code: 400, message, status: "INVALID_ARGUMENT" } }],
      ];
      const isSigned = ({ extra_content: extra }: Json) =>
        JSON.stringify(extra ?? "").includes("thought_signature");
      if (!callsOf(body).every(isSigned))
        return invalid("Function call is missing a thought_signature in functionCall parts.");
      const unknown = "const $schema $ref $defs exclusiveMinimum additionalProperties".split(" ");
      return badTool(body, (schema) => unknown.some((key) => key in schema))
        ? invalid("Unknown name \"const\" at 'tools[0].function_declarations[0]'")
        : null;
    },
    ...answers("function-call-1", counted, {
      extra_content: { google: { thought_signature: "c2ln" } },
    }),
  },
  deepseek: {
    baseUrl: "https://api.deepseek.com/v1",
    model: "deepseek-chat",
    refuse(body) {
      if (Number(body["max_tokens"]) > 8192)
        return openAiError("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]");
      return lacks(body, "reasoning_content")
        ? openAiError("Missing `reasoning_content` field in the assistant message.")
        : null;
    },
    count: deepSeekCount,
    call: [choice({ reasoning_content: "Look first." }), ...answers("call_0", deepSeekCount).call],
    usage: { prompt: 260, cached: 640 },
  },
  mistral: {
    baseUrl: "https://api.mistral.ai/v1",
    model: "devstral-latest",
    id: "D681PevKs",
    refuse(body) {
      const error = (message: string): Refusal => [400, { object: "error", message }];
      const isAfterResult = ({ role }: { role: string }, at: number) =>
        role === "user" && body.messages[at - 1]?.role === "tool";
      if (body.messages.some(isAfterResult))
        return error("Unexpected role 'user' after role 'tool'");
      if (callsOf(body).some(({ id }) => !/^[a-zA-Z0-9]{9}$/.test(id)))
        return error("Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.");
      const known = "model messages tools stream stream_options max_tokens reasoning_effort";
      const field = Object.keys(body).find((key) => !known.split(" ").includes(key));
      const msg = "Extra inputs are not permitted";
      return field
        ? [422, { detail: [{ type: "extra_forbidden", loc: ["body", field], msg }] }]
        : null;
    },
  },
  groq: {
    baseUrl: "https://api.groq.com/openai/v1",
    model: "openai/gpt-oss-120b",
    path: "/openai/v1/chat/completions",
    refuse: (body) =>
      body.messages.some((message) => "reasoning_content" in message)
        ? openAiError("'messages.2' : property 'reasoning_content' is unsupported")
        : null,
    call: [choice(toolCall("fc_1")), { ...choice({}, "tool_calls"), ...groqCount }],
    words: [choice({ content: "Done." }), { ...choice({}, "stop"), ...groqCount }],
  },
  moonshot: {
    baseUrl: "https://api.moonshot.ai/v1",
    model: "kimi-k2",
    call: [choice(toolCall("Read:0")), choice({}, "tool_calls", moonshotCount)],
    words: [choice({ content: "Done." }), choice({}, "stop", moonshotCount)],
    usage: { prompt: 200, cached: 700 },
  },
};

export const providers: Record<string, Provider> = Object.fromEntries(
  Object.entries(given).map(([name, one]) => [name, provide(one)]),
);

/** A `fetch` that is this provider, and the bodies it was sent. */
export function fakeProvider({ path, refuse, call, words }: Provider) {
  const sent: ChatBody[] = [];
  const fetch = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const { pathname, search } = new URL(url instanceof Request ? url.url : String(url));
    if (init?.method !== "POST" || pathname + search !== path)
      return Response.json({ error: { message: "Not Found" } }, { status: 404 });
    const body: ChatBody = JSON.parse(String(init.body));
    sent.push(body);
    const refusal = refuse(body);
    if (refusal) return Response.json(refusal[1], { status: refusal[0] });
    const chunks = callsOf(body).length > 0 ? words : call;
    const lines = [...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"];
    return new Response(lines.map((line) => `data: ${line}\n\n`).join(""), {
      headers: { "content-type": "text/event-stream" },
    });
  };
  return { fetch, sent };
}
