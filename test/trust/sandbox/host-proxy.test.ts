/**
 * The proxy of the sandbox: it connects to allowed hosts at checked addresses, and to nothing else.
 */

import { afterAll, describe, expect, spyOn, test } from "bun:test";
import { connect, createServer, Socket, type Server } from "node:net";
import { gzipSync } from "node:zlib";
import { ToolError } from "../../../src/tools/tool.ts";
import { temporaryFolder } from "../../tools/room.ts";
import { sandboxHere } from "../sandbox-here.ts";
import { leaveSandboxes, sandboxOf } from "./open.ts";

const opened: { close(): void }[] = [];
afterAll(async () => {
  for (const one of opened) one.close();
  await leaveSandboxes();
});

const origin = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname === "/zip")
      return new Response(gzipSync("zipped"), { headers: { "content-encoding": "gzip" } });
    if (pathname === "/away") return Response.redirect("http://denied.test/");
    const host = request.headers.get("host");
    const names = [...request.headers.keys()].filter((name) => name.startsWith("proxy"));
    return new Response([host, request.method, await request.text(), ...names].join(" "));
  },
});
opened.push({ close: () => void origin.stop(true) });
const port = origin.port ?? 0;

let authorization = "";

const sandbox = sandboxHere ? await sandboxOf(temporaryFolder(), temporaryFolder()) : null;

async function proxy(resolve: (host: string) => Promise<string[]>) {
  const one = await sandbox?.openProxy({
    isAllowed: (host) => /^(?:allowed\.test|127\.0\.0\.1)$/.test(host),
    resolve,
  });
  if (!one) throw new Error("unreachable");
  opened.push(one);
  const login = Buffer.from(one.login).toString("base64");
  authorization = `Proxy-Authorization: Basic ${login}\r\n`;
  return one;
}

/** Allows everything that resolves to this machine. */
const here = async () => ["127.0.0.1"];

/** Sends bytes and returns everything received until `until` has arrived, or the connection ends. */
function exchange(socket: string, sent: string, until?: RegExp): Promise<string> {
  return new Promise((done) => {
    let seen = "";
    const client = connect({ path: socket, allowHalfOpen: true });
    client.on("data", (data) => {
      seen += data.toString("latin1");
      if (until?.test(seen)) client.destroy();
    });
    client.on("error", () => undefined);
    client.on("close", () => done(seen));
    client.on("end", () => client.destroy());
    client.write(sent);
  });
}

const get = (url: string, more = "") =>
  `GET ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${authorization}${more}\r\n`;

const tunnel = (to: string) => `CONNECT ${to} HTTP/1.1\r\n${authorization}\r\n`;

/** The port of a server on this machine. */
async function listening(server: Server): Promise<number> {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}

describe.skipIf(!sandboxHere)("the proxy", () => {
  test("plain HTTP reaches an allowed host, by the name that was judged", async () => {
    const { socket, refusals } = await proxy(here);
    const url = `http://allowed.test:${port}`;
    expect(await exchange(socket, get(`${url}/a`, "Proxy-Connection: x\r\n"))).toEndWith(
      `\r\n\r\nallowed.test:${port} GET `,
    );
    const post = `POST ${url}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nConnection: close\r\n${authorization}\r\nbody`;
    expect(await exchange(socket, post)).toContain(`allowed.test:${port} POST body`);
    expect(await exchange(socket, get(`${url}/zip`))).toContain("content-encoding: gzip");
    expect(await exchange(socket, get(`${url}/away`))).toContain("location: http://denied.test/");
    expect(refusals()).toEqual([]);
  });

  test("what does not know the password is refused in both ways", async () => {
    const { socket } = await proxy(here);
    authorization = "";
    for (const said of [get(`http://allowed.test:${port}/`), tunnel(`allowed.test:${port}`)])
      expect(await exchange(socket, said, /\r\n\r\n/)).toMatch(/^HTTP\/1.1 407 [^]*: Basic\r\n/);
  });

  test("a tunnel carries bytes both ways", async () => {
    const { socket } = await proxy(here);
    const seen = await exchange(socket, tunnel(`allowed.test:${port}`) + get("/in"), /GET $/);
    expect(seen).toStartWith("HTTP/1.1 200 Connection Established\r\n\r\nHTTP/1.1 200 OK");
  });

  test("a tunnel ends at the host when the command leaves it", async () => {
    const left = Promise.withResolvers<void>();
    const talker = createServer({ allowHalfOpen: true }, (client) => {
      const talk = (error?: Error | null) => {
        if (!error) client.write("x".repeat(65_536), talk);
      };
      client.on("error", () => undefined).on("close", () => left.resolve());
      talk();
    });
    opened.push(talker);
    const to = `allowed.test:${await listening(talker)}`;
    const { socket } = await proxy(here);
    await exchange(socket, tunnel(to), /Established/);
    await left.promise;
  });

  test("other hosts are refused in both ways", async () => {
    const { socket } = await proxy(here);
    for (const host of [
      "denied.test",
      "allowed.test.evil.test",
      "xallowed.test",
      "localhost",
      "2130706434",
      "[::1]",
      "allowed.test%00.evil.test",
    ])
      for (const said of [tunnel(`${host}:${port}`), get(`http://${host}:${port}/`)]) {
        const seen = await exchange(socket, said, /\r\n\r\n/);
        expect([said, seen]).toEqual([said, expect.stringMatching(/^(?:HTTP\/1\.1 40[03] |$)/)]);
      }
  });

  test("what is no request to an allowed host reaches nothing", async () => {
    const { socket } = await proxy(here);
    for (const said of [
      ...["allowed.test", ":80", "user@allowed.test:80", "allowed.test:80:80"].map(tunnel),
      ...["/etc/passwd", "file:///etc/passwd", "ftp://allowed.test/"].map((url) => get(url)),
      get(`https://allowed.test:${port}/`),
      "\0\0\0\0\r\n\r\n",
      // Without an end.
      `GET http://allowed.test/ HTTP/1.1\r\nX: ${"x".repeat(1_000_000)}\r\n\r\n`,
    ])
      expect(await exchange(socket, said, /\r\n\r\n/)).toMatch(/^(?:HTTP\/1\.1 4\d\d |$)/);
  });

  test("it says which hosts it refused, each once and not endlessly many", async () => {
    const { socket, refusals } = await proxy(async (host) => {
      throw new ToolError(`${host} resolves to an address of the local network.`);
    });
    await exchange(socket, get("http://Denied.test./"));
    await exchange(socket, get("http://denied.test/again"));
    await exchange(socket, get("http://allowed.test/"));
    expect(refusals()).toEqual([
      "denied.test is not allowed.",
      "allowed.test resolves to an address of the local network.",
    ]);
    for (let at = 0; at < 30; at += 1) await exchange(socket, get(`http://x${at}.test/`));
    expect(refusals()).toHaveLength(10);
  });

  test("the first address that answers is used; none is an error of the gateway", async () => {
    const closed = createServer();
    const nobody = await listening(closed);
    await new Promise((done) => closed.close(done));
    const { socket } = await proxy(async () => ["127.0.0.2", "127.0.0.1"]);
    const said = tunnel(`allowed.test:${port}`) + get("/in");
    expect(await exchange(socket, said, /GET $/)).toContain(" 200 Connection Established");
    for (const lost of [tunnel(`allowed.test:${nobody}`), get(`http://allowed.test:${nobody}/`)])
      expect(await exchange(socket, lost, /\r\n\r\n/)).toContain(" 502 ");
    using _ = spyOn(Socket.prototype, "setTimeout").mockImplementation(function (
      this: Socket,
      ms,
      late,
    ) {
      if (ms > 0) late?.();
      return this;
    });
    expect(await exchange(socket, said, /\r\n\r\n/)).toContain(" 502 ");
  });

  test("a flood of connections does not take all files of the program", async () => {
    const { socket } = await proxy(here);
    const clients = Array.from({ length: 400 }, () => connect({ path: socket }));
    let closed = 0;
    const enough = Promise.withResolvers<void>();
    const ended = clients.map(
      (client) =>
        new Promise<void>((done) => {
          client.on("error", () => undefined).on("close", done);
        }),
    );
    for (const one of ended) void one.then(() => (closed += 1) === 200 && enough.resolve());
    await enough.promise;
    for (const client of clients) client.destroy();
    await Promise.all(ended);
    expect(await exchange(socket, get(`http://allowed.test:${port}/`))).toContain(" 200 ");
  });

  test("closing it ends what is open", async () => {
    const one = await proxy(here);
    const seen = exchange(one.socket, tunnel(`allowed.test:${port}`));
    one.close();
    expect(await seen).not.toContain("hello");
  });
});
