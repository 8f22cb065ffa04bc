/** A server whose certificate a company's own authority signed, behind a proxy with a password. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { sandbox, type Sandbox } from "../bin.ts";
import { inProcess } from "../in-process.ts";
import { startHttpServer } from "../extensions/mcp/http-server.ts";
import { call, FakeApi, say, toBlocks } from "../fake-api/index.ts";

const openssl = Bun.which("openssl");
const [host, modelHost] = ["docs.company.example", "model.company.example"];
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
let modelUrl = "";

beforeAll(async () => {
  if (openssl === null) return;
  program = await sandbox("certificates");
  const file = (name: string): string => join(program.root, name);
  const make = async (...args: string[]): Promise<void> => {
    const made = Bun.spawn([openssl, ...args], { stdout: "ignore", stderr: "pipe" });
    if ((await made.exited) !== 0) throw new Error(await made.stderr.text());
  };
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  /** A server whose certificate an authority of its own signed. */
  const serve = async (name: string) => {
    const at = (ending: string): string => file(`${name}.${ending}`);
    const out = (ending: string) => ["-keyout", at(`${ending}.key`), "-out", at(ending)];
    const authority = ["-subj", `/CN=Company ${name}`, "-addext", "keyUsage=critical,keyCertSign"];
    await make("req", "-x509", ...key, ...out("ca"), ...authority);
    await make("req", ...key, ...out("csr"), "-subj", `/CN=${name}`);
    writeFileSync(at("names"), `subjectAltName=DNS:${name}`);
    const signing = ["-CA", at("ca"), "-CAkey", at("ca.key"), "-CAcreateserial"];
    const signed = ["-in", at("csr"), "-out", at("pem"), "-extfile", at("names")];
    await make("x509", "-req", ...signed, ...signing);
    const tls = { key: Bun.file(at("csr.key")), cert: Bun.file(at("pem")) };
    return Bun.serve({ port: 0, hostname: "127.0.0.1", tls, fetch: answer });
  };
  const servers = [await serve(host), await serve(modelHost)];
  modelUrl = servers[1]?.url.href ?? "";
  const proxy = createServer((client) => {
    client.on("error", () => {});
    client.once("data", (head) => {
      const expected = `proxy-authorization: Basic ${Buffer.from(login).toString("base64")}`;
      if (!head.toString().toLowerCase().includes(expected.toLowerCase()))
        return client.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      const to = head.toString().startsWith(`CONNECT ${modelHost}:`) ? 1 : 0;
      const there = connect(servers[to]?.port ?? 0, "127.0.0.1", () => {
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
    for (const server of servers) void server.stop(true);
    void mcp.stop();
  };
});

afterAll(async () => {
  close();
  await program?.remove();
});

const key = { ANTHROPIC_API_KEY: "test-key-1234" };

test.skipIf(openssl === null)("the model, WebFetch and MCP servers are reached", async () => {
  const mcpConfig = `--mcp-config=${program.root}/mcp.json`;
  const run = await program.run(["-p", "go", "--permission-mode=bypass", "--trust", mcpConfig], {
    env: {
      ...key,
      ANTHROPIC_BASE_URL: `https://${modelHost}`,
      HTTPS_PROXY: `http://user:p%40ss@127.0.0.1:${proxyPort}`,
      NODE_EXTRA_CA_CERTS: join(program.root, `${modelHost}.ca`),
      SSL_CERT_FILE: join(program.root, `${host}.ca`),
    },
  });
  expect(run).toMatchObject({
    code: 0,
    out: expect.stringMatching(/from the page.*from the server/),
  });
});

test.skipIf(openssl === null)("a missing authority is named, at once", async () => {
  const env = { ...key, ANTHROPIC_BASE_URL: modelUrl };
  const { code, err } = await inProcess(program).run(["-p", "go"], { env });
  expect(code).toBe(1);
  expect(err).toContain("NODE_EXTRA_CA_CERTS");
  expect(err).not.toContain("retry");
});
