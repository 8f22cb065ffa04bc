/** A server whose certificate a company's own authority signed, behind a proxy with a password. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { z } from "zod";
import { sandbox, type Sandbox } from "../bin.ts";

const openssl = Bun.which("openssl");
const host = "docs.company.example";
const login = "user:p@ss";

const chatBody = z.looseObject({ messages: z.array(z.looseObject({ role: z.string() })) });
const rpc = z.looseObject({ id: z.unknown().optional(), method: z.string().optional() });

/** Of an MCP server with one tool. */
const results: Record<string, unknown> = {
  initialize: {
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "company", version: "1" },
  },
  "tools/list": { tools: [{ name: "hello", inputSchema: { type: "object", properties: {} } }] },
  "tools/call": { content: [{ type: "text", text: "from the server" }] },
};

const calls = [
  { name: "WebFetch", arguments: JSON.stringify({ url: `https://${host}/page` }) },
  { name: "mcp__company__hello", arguments: "{}" },
];

async function answer(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname === "/page") return new Response("from the page");
  if (request.method !== "POST") return new Response(null, { status: 405 });
  const body: unknown = await request.json();
  if (pathname === "/mcp") {
    const { id, method = "" } = rpc.parse(body);
    if (id === undefined) return new Response(null, { status: 202 });
    const result = results[method];
    const failure = { error: { code: -32601, message: "unknown method" } };
    return Response.json({ jsonrpc: "2.0", id, ...(result ? { result } : failure) });
  }
  if (!pathname.endsWith("/chat/completions")) return new Response(null, { status: 404 });
  const { messages } = chatBody.parse(body);
  const said = messages.filter(({ role }) => role === "tool").map(({ content }) => content);
  const delta =
    said.length > 0
      ? { content: said.join(", ") }
      : { tool_calls: calls.map((call, index) => ({ index, id: `c${index}`, function: call })) };
  const finish_reason = said.length > 0 ? "stop" : "tool_calls";
  const piece = { id: "1", choices: [{ index: 0, delta, finish_reason }] };
  return new Response(`data: ${JSON.stringify(piece)}\n\ndata: [DONE]\n\n`, {
    headers: { "content-type": "text/event-stream" },
  });
}

let program: Sandbox;
let close = (): void => {};
let proxyPort = 0;

beforeAll(async () => {
  if (openssl === null) return;
  program = await sandbox("certificates");
  const file = (name: string): string => join(program.root, name);
  const make = async (...args: string[]): Promise<void> => {
    const made = Bun.spawn([openssl, ...args], { stdout: "ignore", stderr: "pipe" });
    if ((await made.exited) !== 0) throw new Error(await made.stderr.text());
  };
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const authority = ["-subj", "/CN=Company", "-addext", "keyUsage=critical,keyCertSign"];
  await make(
    "req",
    "-x509",
    ...key,
    "-keyout",
    file("ca.key"),
    "-out",
    file("ca.pem"),
    ...authority,
  );
  await make("req", ...key, "-keyout", file("key"), "-out", file("csr"), "-subj", `/CN=${host}`);
  writeFileSync(file("names"), `subjectAltName=DNS:${host}`);
  const signing = ["-CA", file("ca.pem"), "-CAkey", file("ca.key"), "-CAcreateserial"];
  const signed = ["-in", file("csr"), "-out", file("pem"), "-extfile", file("names")];
  await make("x509", "-req", ...signed, ...signing);
  const tls = { key: Bun.file(file("key")), cert: Bun.file(file("pem")) };
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", tls, fetch: answer });
  const proxy = createServer((client) => {
    client.on("error", () => {});
    client.once("data", (head) => {
      const expected = `proxy-authorization: Basic ${Buffer.from(login).toString("base64")}`;
      if (!head.toString().toLowerCase().includes(expected.toLowerCase()))
        return client.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      const there = connect(server.port ?? 0, "127.0.0.1", () => {
        client.write("HTTP/1.1 200 OK\r\n\r\n");
        client.pipe(there).pipe(client);
      });
      there.on("error", () => client.destroy());
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const at = proxy.address();
  proxyPort = typeof at === "object" ? (at?.port ?? 0) : 0;
  const mcpServers = { company: { type: "http", url: `https://${host}/mcp` } };
  writeFileSync(file("mcp.json"), JSON.stringify({ mcpServers }));
  close = () => {
    proxy.close();
    void server.stop(true);
  };
});

afterAll(async () => {
  close();
  await program?.remove();
});

const go = (user: string, env: Record<string, string> = {}) =>
  program.run(
    [
      "-p",
      "go",
      "--model=m",
      "--permission-mode=bypass",
      "--trust",
      `--mcp-config=${program.root}/mcp.json`,
    ],
    {
      env: {
        OPENAI_BASE_URL: `https://${host}/v1`,
        OPENAI_API_KEY: "test-key-1234",
        HTTPS_PROXY: `http://${user}127.0.0.1:${proxyPort}`,
        ...env,
      },
    },
  );

const authority = () => join(program.root, "ca.pem");

test.skipIf(openssl === null)("the model, WebFetch and MCP servers are reached", async () => {
  for (const name of ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"])
    expect(await go("user:p%40ss@", { [name]: authority() })).toMatchObject({
      code: 0,
      out: expect.stringContaining("from the page, from the server"),
    });
});

test.skipIf(openssl === null)("what is missing is said, at once", async () => {
  const { code, err } = await go("user:p%40ss@");
  expect(code).toBe(1);
  expect(err).toContain("NODE_EXTRA_CA_CERTS");
  expect(err).not.toContain("retry");
  const refused = await go("", { NODE_EXTRA_CA_CERTS: authority() });
  expect(refused.code).toBe(1);
  expect(refused.err).toContain("407");
  expect(refused.err).not.toContain("retry");
});
