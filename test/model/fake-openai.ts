/** A small server of OpenAI's chat completions: it streams a given answer, and reports its window. */

/** Strictness about what is sent is the matter of `fake-api/providers.ts`. */
type ChatRequest = {
  model: string;
  messages: { role: string; [field: string]: unknown }[];
};

export type Chunks =
  | { chunks: object[]; usage?: object; done?: boolean; stall?: boolean }
  | { status: number; error: unknown; headers?: Record<string, string> };

export function startFakeOpenAi(pages: Record<string, unknown> = {}) {
  const script: Chunks[] = [];
  const requests: ChatRequest[] = [];
  const headers: Headers[] = [];
  const asked: string[] = [];

  async function complete(http: Request): Promise<Response> {
    const body: ChatRequest = JSON.parse(await http.text());
    requests.push(body);
    headers.push(http.headers);
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
