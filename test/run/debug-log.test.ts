import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createDebugLog } from "../../src/run/debug-log.ts";
import type { Fetch } from "../../src/model/network.ts";
import { testFolder } from "../folder.ts";

const root = testFolder("debug-log");

test("lines are appended with the time; control characters cannot forge another line", () => {
  const file = join(root, "new", "debug.log");
  const log = createDebugLog(file, {}, () => Date.UTC(2026, 0, 2));
  log.write("a", "one\ntwo\u001b[2J");
  log.write("longtopic", "x");
  expect(readFileSync(file, "utf8")).toBe(
    "2026-01-02T00:00:00.000Z  a         one two [2J\n2026-01-02T00:00:00.000Z  longtopic x\n",
  );
});

test("a full disk does not throw", () => {
  const log = createDebugLog("/dev/full", {});
  expect(() => log.write("a", "x")).not.toThrow();
});

let serial = 0;

async function traced(fetch: Fetch, call: (fetch: Fetch) => Promise<unknown>): Promise<string[]> {
  const file = join(root, `${++serial}.log`);
  await call(createDebugLog(file, {}).tracing(fetch));
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => line.slice(36));
}

const ok: Fetch = async () =>
  new Response("body", { headers: { "request-id": "r1", "set-cookie": "session=1" } });

test("method, address, size and headers are written; passwords, queries and other values are not", async () => {
  const [sent, got] = await traced(ok, (fetch) =>
    fetch("https://user:pass@host/v1/messages?key=k", {
      method: "POST",
      body: "x".repeat(1_234),
      headers: { Authorization: "Bearer k", "X-Api-Key": "k", "anthropic-beta": "b", Cookie: "k" },
    }),
  );
  expect(sent).toBe(
    "POST https://host/v1/messages, 1,234 bytes, anthropic-beta: b; authorization: [hidden]; cookie: [hidden]; x-api-key: [hidden]",
  );
  expect(got).toMatch(
    /^POST https:\/\/host\/v1\/messages: 200 after [\d,]+ ms, .*request-id: r1; set-cookie: \[hidden\]/,
  );
});

test("a request object is described, too, and passed on unchanged", async () => {
  const seen: unknown[] = [];
  const request = new Request("https://host/a", { method: "PUT", headers: { accept: "x" } });
  const [sent] = await traced(
    async (input) => {
      seen.push(input);
      return new Response();
    },
    (fetch) => fetch(request),
  );
  expect(sent).toBe("PUT https://host/a, accept: x");
  expect(seen).toEqual([request]);
});

test("a failure is written and thrown", async () => {
  const lines = await traced(
    async () => {
      throw new Error("no route");
    },
    async (fetch) => {
      await expect(fetch(new URL("https://host/"))).rejects.toThrow("no route");
    },
  );
  expect(lines[1]).toMatch(/^GET https:\/\/host\/: failed after [\d,]+ ms: no route$/);
});
