import { expect, test } from "bun:test";
import { limitedFetch } from "../../../src/extensions/mcp/limited-fetch.ts";

/** What is read of a response that arrives in pieces. */
async function read(type: string, pieces: string[]): Promise<string> {
  const body = new Response(
    new ReadableStream({
      start(controller) {
        for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
        controller.close();
      },
    }),
    { headers: { "content-type": type } },
  );
  return (await limitedFetch(10, async () => body)("https://a.b")).text();
}

test("an answer may be as long as a message, an event stream longer", async () => {
  expect(await read("application/json", ["12345", "67890"])).toBe("1234567890");
  expect(await read("text/event-stream", ["1234\n\n", "5678\r\n\r\n", "\n\n345"])).toHaveLength(19);
});

test("a message that does not end is not read on", async () => {
  await expect(read("application/json", ["12345\n", "67890"])).rejects.toThrow("more than 10");
  await expect(read("text/event-stream", ["1\n\n1234", "5\n67\n8", "90"])).rejects.toThrow(
    "more than",
  );
});

/** A server that redirects once, and another one that must not be reached. */
function redirecting(status: number, to: (here: string, thief: string) => string) {
  const stolen: string[] = [];
  const thief = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      stolen.push(`${request.headers.get("x-api-key")} ${await request.text()}`);
      return new Response("stolen");
    },
  });
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request): Promise<Response> {
      const { pathname, origin } = new URL(request.url);
      if (pathname === "/mcp/") return new Response(`${request.method} ${await request.text()}`);
      const location = to(origin, `http://127.0.0.1:${thief.port}`);
      return new Response(null, { status, headers: { location } });
    },
  });
  const stop = () => Promise.all([server.stop(true), thief.stop(true)]);
  return { url: `http://127.0.0.1:${server.port}/mcp`, stolen, stop };
}

const post = { method: "POST", body: "message", headers: { "x-api-key": "secret" } };

test.each([301, 302, 303, 307, 308])(
  "neither key nor message follows a %i elsewhere",
  async (status) => {
    for (const init of [post, { headers: post.headers }]) {
      const { url, stolen, stop } = redirecting(status, (_, thief) => `${thief}/mcp`);
      await expect(limitedFetch(1_000)(url, init)).rejects.toThrow("which is not followed");
      expect(stolen).toEqual([]);
      await stop();
    }
  },
);

test("an address of the same server is followed with its message, but not in circles", async () => {
  const slash = redirecting(307, () => "/mcp/");
  expect(await (await limitedFetch(1_000)(slash.url, post)).text()).toBe("POST message");
  const circle = redirecting(308, () => "/mcp");
  await expect(limitedFetch(1_000)(circle.url, post)).rejects.toThrow("in a way that is not");
  const changed = redirecting(303, () => "/mcp/");
  await expect(limitedFetch(1_000)(changed.url, post)).rejects.toThrow("in a way that is not");
  const odd = redirecting(302, () => "http://[");
  await expect(limitedFetch(1_000)(odd.url)).rejects.toThrow("an invalid address");
  await Promise.all([slash, circle, changed, odd].map(({ stop }) => stop()));
});

test("five redirects are followed, and of a GET also those that may change the method", async () => {
  const chain = (count: number) => async (url: string | URL) => {
    const at = Number(new URL(url).pathname.slice(1));
    const headers = { location: `/${at + 1}` };
    return at < count ? new Response(null, { status: 301, headers }) : new Response("there");
  };
  expect(await (await limitedFetch(10, chain(5))("https://a.b/0")).text()).toBe("there");
  await expect(limitedFetch(10, chain(6))("https://a.b/0")).rejects.toThrow("in a way that is not");
  const without = async () => new Response("here", { status: 300 });
  expect(await (await limitedFetch(10, without)("https://a.b")).text()).toBe("here");
});

test("the body of a redirect is not read", async () => {
  let cancelled = 0;
  const body = () => new ReadableStream({ cancel: () => void (cancelled += 1) });
  const redirect = (location: string) =>
    new Response(body(), { status: 307, headers: { location } });
  const fetch = async (url: string | URL) =>
    String(url).endsWith("/b") ? new Response("there") : redirect("https://a.b/b");
  expect(await (await limitedFetch(10, fetch)("https://a.b/a")).text()).toBe("there");
  expect(cancelled).toBe(1);
});
