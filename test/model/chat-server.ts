/**
 * Servers of OpenAI's chat completions, as a `fetch`. Strictness about what is sent is the matter of
 * `fake-api/providers.ts`.
 */

import type { ChatBody } from "../fake-api/providers.ts";

/** The signal ends a stream that stays open. */
export type Reply = string | Response | ReadableStream | ((signal: AbortSignal) => ReadableStream);

export const event = (data: object | string, newline = "\n"): string =>
  `data: ${typeof data === "string" ? data : JSON.stringify(data)}${newline}${newline}`;
export const done = event("[DONE]");
export const chunk = (delta: object, finish_reason: unknown = null) => ({
  choices: [{ index: 0, delta, finish_reason }],
});
/** A whole stream with these chunks. */
export const chat = (...chunks: object[]): string =>
  chunks.map((one) => event(one)).join("") + done;
export const ok = chat(chunk({ content: "ok" }, "stop"));

export const refuse = (error: unknown, status = 400, headers: Record<string, string> = {}) =>
  Response.json({ error }, { status, headers });

/** A stream that never ends by itself. */
export const staysOpen = (text: string) => (signal: AbortSignal) =>
  new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      signal.addEventListener("abort", () => controller.error(signal.reason));
    },
  });

/**
 * Answers calls with these replies, one after the other, or as `answer` says. `pages`: what other paths
 * tell about the server.
 */
export function chatServer(
  answer: Reply[] | ((body: ChatBody, path: string) => Reply),
  pages: Record<string, unknown> = {},
) {
  const sent: ChatBody[] = [];
  const headers: Headers[] = [];
  const asked: string[] = [];
  const next = (body: ChatBody, path: string): Reply =>
    typeof answer === "function"
      ? answer(body, path)
      : (answer.shift() ?? refuse("the script has run dry", 500));
  const fetch = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const { pathname, search } = new URL(url instanceof Request ? url.url : String(url));
    headers.push(new Headers(init?.headers));
    if (!/\/(completions|responses)$/.test(pathname)) {
      asked.push(pathname);
      const page = pages[pathname];
      return page === undefined ? new Response("", { status: 404 }) : Response.json(page);
    }
    const body: ChatBody = JSON.parse(String(init?.body));
    sent.push(body);
    const reply = next(body, pathname + search);
    if (reply instanceof Response) return reply;
    const signal = init?.signal ?? AbortSignal.abort();
    return new Response(typeof reply === "function" ? reply(signal) : reply, {
      headers: { "content-type": "text/event-stream" },
    });
  };
  /** `asked`: the other paths. */
  return { fetch, sent, headers, asked };
}

/** A chunk with text. */
export const saying = (content: string) => chunk({ content });

/** A chunk of a tool call. */
export const calling = (index: number, call: { id?: string; name?: string; json?: string }) =>
  chunk({
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
  });

export const finish = (reason: string) => chunk({}, reason);
