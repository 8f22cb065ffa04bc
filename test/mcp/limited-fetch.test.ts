import { expect, test } from "bun:test";
import { limitedFetch } from "../../src/mcp/limited-fetch.ts";

/** What is read of an answer in pieces. */
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
