import { expect, test } from "bun:test";
import { limitedFetch } from "../../../src/extensions/mcp/connection.ts";
import { openHub, setup } from "./open-hub.ts";

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

/** The official client refuses them: neither keys nor messages may reach another server. */
test.each([301, 302, 303, 307, 308])(
  "no redirect to another server is followed (%d)",
  async (status) => {
    const stolen: string[] = [];
    const thief = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: ({ url }) => (stolen.push(url), new Response("stolen")),
    });
    const location = `http://127.0.0.1:${thief.port}/mcp`;
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => new Response(null, { status, headers: { location } }),
    });
    const url = `http://127.0.0.1:${server.port}/mcp`;
    for (const type of ["http", "sse"] as const) {
      const hub = openHub([setup("web", { type, url, headers: { "x-api-key": "secret" } })]);
      hub.start();
      await hub.settled(20_000);
      expect(hub.servers[0]?.state).toBe("failed");
      await hub.close();
    }
    expect(stolen).toEqual([]);
    await Promise.all([server.stop(true), thief.stop(true)]);
  },
);
