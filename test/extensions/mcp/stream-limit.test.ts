import { expect, spyOn, test } from "bun:test";
import { limitStreams } from "../../../src/extensions/mcp/http-transport.ts";

function counting() {
  let asked = 0;
  const fetch = limitStreams(async () => {
    asked++;
    return new Response(": nothing\n\n");
  });
  const open = async (last?: string): Promise<number> => {
    const headers = last === undefined ? {} : { "last-event-id": last };
    return (await fetch("http://a.b/mcp", { method: "GET", headers })).status;
  };
  return { open, fetch, asked: () => asked };
}

test.each([undefined, "7"])(
  "a stream that ends at once ten times is given up (%s)",
  async (last) => {
    const { open, asked } = counting();
    for (let time = 0; time < 10; time++) expect(await open(last)).toBe(200);
    expect(await open(last)).toBe(405);
    expect(asked()).toBe(10);
    expect(await open("another")).toBe(200);
  },
);

test("a stream that lasts a while, or brings events, is opened again and again", async () => {
  const now = spyOn(performance, "now");
  const { open } = counting();
  for (let time = 0; time < 30; time++) {
    now.mockReturnValue(time * 5_000);
    expect(await open("7")).toBe(200);
    expect(await open(`event ${time}`)).toBe(200);
  }
  now.mockRestore();
});

test("requests are not limited", async () => {
  const { fetch, asked } = counting();
  for (let time = 0; time < 30; time++) await fetch("http://a.b/mcp", { method: "POST" });
  expect(asked()).toBe(30);
});
