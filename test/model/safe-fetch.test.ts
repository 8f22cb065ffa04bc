import { afterEach, expect, test } from "bun:test";
import { createAnthropicClient } from "../../src/model/anthropic/messages.ts";
import { createOpenAiClient } from "../../src/model/openai/client.ts";
import { buildRequest, run } from "./calls.ts";

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

function serve(answer: (request: Request) => Response): { url: string; seen: Request[] } {
  const seen: Request[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      seen.push(request);
      return answer(request);
    },
  });
  stops.push(() => server.stop(true));
  return { url: `http://127.0.0.1:${server.port}`, seen };
}

const clients = { anthropic: createAnthropicClient, openai: createOpenAiClient };

for (const status of [302, 303, 308])
  for (const [provider, create] of Object.entries(clients))
    test(`${provider}: neither key nor prompt follows a ${status}`, async () => {
      const thief = serve(() => Response.json({ data: [{ id: "m" }] }));
      const server = serve(({ url }) => {
        const headers = { location: thief.url + new URL(url).pathname };
        return new Response(null, { status, headers });
      });
      const client = create({ apiKey: "sk-secret", baseUrl: server.url });
      expect(await client.models()).toEqual([]);
      await client.rules("m");
      const { error } = await run(client, buildRequest({ model: "m" }));
      expect(error?.kind).toBe("invalid");
      expect(error?.message).toContain(`redirects to ${thief.url}/`);
      expect(thief.seen).toEqual([]);
    });

/** A body that never ends, `chunk` after `chunk`. */
function endless(chunk: Uint8Array, onCancel: () => void): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull: (controller) => controller.enqueue(chunk),
    cancel: onCancel,
  });
}

/** How a call ends that this response answers. */
async function endOf(response: Response | string): Promise<string> {
  const fetch = typeof response === "string" ? globalThis.fetch : () => Promise.resolve(response);
  const baseUrl = typeof response === "string" ? response : "http://host";
  const client = createOpenAiClient({ baseUrl, fetch });
  return (await run(client, buildRequest({ model: "m" }))).error?.message ?? "none";
}

test.each([
  ["an answer", `${"x".repeat(9_000_000)}\n`, 200, "128 MiB"],
  ["a line", "x".repeat(1_000_000), 200, "16 MiB"],
  ["an error", "x".repeat(1_000_000), 500, "1 MiB"],
])("stops reading %s without end", async (_, text, status, limit) => {
  let cancelled = false;
  const body = endless(new TextEncoder().encode(text), () => (cancelled = true));
  expect(await endOf(new Response(body, { status }))).toContain(limit);
  expect(cancelled).toBe(true);
});

test("a compressed answer is limited by its decompressed size", async () => {
  const bomb = Bun.gzipSync(new Uint8Array(200 * 1024 * 1024));
  const server = serve(() => new Response(bomb, { headers: { "content-encoding": "gzip" } }));
  expect(await endOf(server.url)).toContain("16 MiB");
});

test("an error that is nested too deeply is not passed on; brackets in its text are harmless", async () => {
  const end = (body: string) => endOf(new Response(body, { status: 400 }));
  const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
  expect(await end(nested(101))).toBe("host sent an error that is nested too deeply.");
  for (const text of [nested(100), `{"message":"${"[".repeat(500)}"}`, "<p>no</p>"])
    expect(await end(text)).not.toContain("nested");
});
