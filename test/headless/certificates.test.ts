/** A server whose certificate a company's own authority signed, behind a proxy with a password. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { sandbox, type Sandbox } from "../bin.ts";
import { startHttpServer } from "../extensions/mcp/http-server.ts";
import { call, FakeApi, say, toBlocks } from "../fake-api/index.ts";

const openssl = Bun.which("openssl");
const host = "docs.company.example";
const login = "user:p@ss";

const mcp = startHttpServer();
const api = new FakeApi({
  responder({ messages }) {
    const results = messages.flatMap(toBlocks).filter(({ type }) => type === "tool_result");
    if (results.length > 0) return say(JSON.stringify(results));
    const [page, server] = [`https://${host}/page`, "from the server"];
    const calls = [call("WebFetch", { url: page }), call("mcp__company__echo", { text: server })];
    return { content: calls };
  },
});

function answer(request: Request): Response | Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname === "/page") return new Response("from the page");
  return pathname === "/mcp" ? fetch(new Request(mcp.url, request)) : api.handle(request);
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
    void mcp.stop();
  };
});

afterAll(async () => {
  close();
  await program?.remove();
});

const go = (env: Record<string, string> = {}) =>
  program.run(
    ["-p", "go", "--permission-mode=bypass", "--trust", `--mcp-config=${program.root}/mcp.json`],
    {
      env: {
        ANTHROPIC_BASE_URL: `https://${host}`,
        ANTHROPIC_API_KEY: "test-key-1234",
        HTTPS_PROXY: `http://user:p%40ss@127.0.0.1:${proxyPort}`,
        ...env,
      },
    },
  );

const authority = () => join(program.root, "ca.pem");

test.skipIf(openssl === null)("the model, WebFetch and MCP servers are reached", async () => {
  for (const name of ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"])
    expect(await go({ [name]: authority() })).toMatchObject({
      code: 0,
      out: expect.stringMatching(/from the page.*from the server/),
    });
});

test.skipIf(openssl === null)("a missing authority is named, at once", async () => {
  const { code, err } = await go();
  expect(code).toBe(1);
  expect(err).toContain("NODE_EXTRA_CA_CERTS");
  expect(err).not.toContain("retry");
});
