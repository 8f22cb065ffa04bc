/**
 * A small server of OpenAI's chat completions, like local model servers: it checks the order of
 * messages, streams a given answer, and reports its window if its kind does so.
 */

import { z } from "zod";

const chatMessage = z.discriminatedUnion("role", [
  z.looseObject({ role: z.literal("system"), content: z.string().min(1) }),
  z.looseObject({
    role: z.literal("user"),
    content: z.union([z.string().min(1), z.array(z.looseObject({ type: z.string() })).min(1)]),
  }),
  z.looseObject({
    role: z.literal("assistant"),
    content: z.string().nullable(),
    tool_calls: z
      .array(
        z.object({
          id: z.string(),
          type: z.literal("function"),
          function: z.object({ name: z.string(), arguments: z.string() }),
        }),
      )
      .optional(),
  }),
  z.looseObject({ role: z.literal("tool"), tool_call_id: z.string(), content: z.string().min(1) }),
]);

const chatRequest = z.looseObject({
  model: z.string(),
  messages: z.array(chatMessage).min(1),
  stream: z.literal(true),
  stream_options: z.object({ include_usage: z.literal(true) }),
});

export type ChatRequest = z.infer<typeof chatRequest>;

export type Chunks =
  | { chunks: object[]; usage?: object; done?: boolean; stall?: boolean }
  | { status: number; error: unknown; headers?: Record<string, string> };

export function startFakeOpenAi(pages: Record<string, unknown> = {}) {
  const script: Chunks[] = [];
  const requests: ChatRequest[] = [];
  const headers: Headers[] = [];
  const asked: string[] = [];

  async function complete(http: Request): Promise<Response> {
    const parsed = chatRequest.safeParse(await http.json());
    headers.push(http.headers);
    if (!parsed.success) return refuse(400, { message: parsed.error.message });
    const orphan = findOrphan(parsed.data);
    if (orphan !== null) return refuse(400, { message: orphan });
    requests.push(parsed.data);
    const answer = script.shift() ?? { status: 500, error: "the script has run dry" };
    return "status" in answer
      ? refuse(answer.status, answer.error, answer.headers)
      : stream(answer);
  }

  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(http) {
      const { pathname } = new URL(http.url);
      if (pathname === "/v1/chat/completions") return complete(http);
      asked.push(pathname);
      const page = pages[pathname];
      return page === undefined ? new Response("not found", { status: 404 }) : Response.json(page);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    requests,
    /** The bodies of all calls. */
    headers,
    /** Paths that were requested to learn about the server. */
    asked,
    next: (...answers: Chunks[]) => void script.push(...answers),
    stop: () => server.stop(true),
  };
}

/** Every call must be followed by its result, and every result must have a call. */
function findOrphan({ messages }: ChatRequest): string | null {
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === "tool") {
      if (!open.includes(message.tool_call_id)) return `no call for ${message.tool_call_id}`;
      open = open.filter((id) => id !== message.tool_call_id);
    } else if (open.length > 0) return `no answer for ${open.join(", ")}`;
    if (message.role === "assistant") open = (message.tool_calls ?? []).map(({ id }) => id);
  }
  return open.length > 0 ? `no answer for ${open.join(", ")}` : null;
}

const refuse = (status: number, error: unknown, headers: Record<string, string> = {}): Response =>
  Response.json({ error }, { status, headers });

function stream({
  chunks,
  usage,
  done = true,
  stall = false,
}: Extract<Chunks, { chunks: object[] }>) {
  const lines = chunks.map((chunk) => line({ choices: [chunk] }));
  if (usage !== undefined) lines.push(line({ choices: [], usage }));
  if (done) lines.push("data: [DONE]\n\n");
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const text of lines) controller.enqueue(new TextEncoder().encode(text));
      if (!stall) controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

const line = (chunk: object): string =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", ...chunk })}\n\n`;

/** A chunk with text. */
export const saying = (content: string, more: object = {}) => ({
  index: 0,
  delta: { content, ...more },
});

/** A chunk of a tool call. */
export const calling = (index: number, call: { id?: string; name?: string; json?: string }) => ({
  index: 0,
  delta: {
    tool_calls: [
      {
        index,
        ...(call.id !== undefined && { id: call.id }),
        type: "function",
        function: {
          ...(call.name !== undefined && { name: call.name }),
          ...(call.json !== undefined && { arguments: call.json }),
        },
      },
    ],
  },
});

export const finish = (reason: string) => ({ index: 0, delta: {}, finish_reason: reason });
