import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDebugLog } from "../../../src/app/debug/debug-log.ts";
import { traceFetch } from "../../../src/app/debug/trace-fetch.ts";
import type { Fetch } from "../../../src/model/network.ts";

const root = mkdtempSync(join(tmpdir(), "trace-fetch-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let serial = 0;

async function traced(fetch: Fetch, call: (fetch: Fetch) => Promise<unknown>): Promise<string[]> {
  const file = join(root, `${++serial}.log`);
  await call(traceFetch(fetch, openDebugLog(file, [])));
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
    "POST https://host/v1/messages?…, 1,234 bytes, anthropic-beta: b; authorization: [hidden]; cookie: [hidden]; x-api-key: [hidden]",
  );
  expect(got).toMatch(
    /^POST https:\/\/host\/v1\/messages\?…: 200 after [\d,]+ ms, .*request-id: r1; set-cookie: \[hidden\]/,
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
