/**
 * The only way out of a sandbox without a network: an HTTP proxy on a Unix socket that connects to
 * some hosts and to nothing else. It trusts nothing that comes through the socket.
 */

import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { ToolError } from "../../../tools/tool.ts";
import { canonicalHost } from "../../../tools/web/address.ts";

export type Gate = {
  isAllowed(host: string): boolean;
  /** The addresses to connect to. Throws `ToolError` for a host that must not be reached. */
  resolve(host: string): Promise<readonly string[]>;
};

export type HostProxy = {
  /** The path of the socket. */
  socket: string;
  /** The port of the proxy on the sandbox's own 127.0.0.1. */
  port: number;
  /** "user:password". Other commands of the session can reach that port, too, but do not know this. */
  login: string;
  /** Why hosts were refused, a sentence for each of them. */
  refusals(): readonly string[];
  close(): void;
};

const maxConnections = 200;
const maxRefusals = 10;
const connectMs = 30_000;

/** Throws when it cannot listen. */
export async function openHostProxy(socket: string, port: number, gate: Gate): Promise<HostProxy> {
  const login = `session:${crypto.randomUUID()}`;
  const expected = `Basic ${Buffer.from(login).toString("base64")}`;
  const isKnown = ({ headers }: IncomingMessage): boolean =>
    headers["proxy-authorization"] === expected;
  const refusals = new Map<string, string>();
  const open = new Set<Duplex>();
  const keep = (socket: Duplex): void => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    socket.on("error", () => socket.destroy());
    if (open.size > maxConnections) socket.destroy();
  };
  /** Null when the host must not be reached; the reason is kept. */
  const resolveHost = async (host: string): Promise<readonly string[] | null> => {
    let reason = `${host} is not allowed.`;
    try {
      if (gate.isAllowed(host)) return await gate.resolve(host);
    } catch (error) {
      reason = error instanceof ToolError ? error.message : `${host} could not be looked up.`;
    }
    if (refusals.size < maxRefusals) refusals.set(host, reason);
    return null;
  };
  const server = createServer((from, to) => {
    if (!isKnown(from)) return answer(to, 407);
    void forward(from, to, resolveHost).catch(() => answer(to, 502));
  });
  server.on("connection", keep);
  server.on("connect", (from: IncomingMessage, client: Duplex, head: Buffer) => {
    keep(client);
    if (!isKnown(from))
      return void client.end(
        "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n",
      );
    void tunnel(from.url ?? "", client, head, resolveHost, keep).catch(() => client.destroy());
  });
  await new Promise<void>((done, failed) => {
    server.on("error", failed);
    server.listen(socket, done);
  });
  return {
    socket,
    port,
    login,
    refusals: () => [...refusals.values()],
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}

type ResolveHost = (host: string) => Promise<readonly string[] | null>;

/** `CONNECT host:port`, for HTTPS. */
async function tunnel(
  target: string,
  client: Duplex,
  head: Buffer,
  resolveHost: ResolveHost,
  keep: (socket: Duplex) => void,
): Promise<void> {
  const [, name = "", port = ""] = /^(\[[\da-f:.]+\]|[\w.-]+):(\d{1,5})$/i.exec(target) ?? [];
  const url = URL.parse(`http://${name}`);
  const host = url && canonicalHost(url);
  if (!host) return void client.end("HTTP/1.1 400 Bad Request\r\n\r\n");
  const addresses = await resolveHost(host);
  if (addresses === null) return void client.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  const server = await connectToAny(addresses, Number(port));
  if (server === null) return void client.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  keep(server);
  server.on("close", () => client.destroy());
  client.on("close", () => server.destroy());
  client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
  server.write(head);
  server.pipe(client);
  client.pipe(server);
}

async function connectToAny(addresses: readonly string[], port: number): Promise<Socket | null> {
  for (const host of addresses) {
    const socket = connect({ host, port, allowHalfOpen: true });
    socket.setTimeout(connectMs, () => socket.destroy());
    const isOpen = await new Promise<boolean>((tell) => {
      socket.once("connect", () => tell(true));
      socket.once("error", () => tell(false));
      socket.once("close", () => tell(false));
    });
    socket.setTimeout(0);
    if (isOpen) return socket;
    socket.destroy();
  }
  return null;
}

/** Headers of a single connection; all others are passed on. */
const hopByHop = /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|host)$/i;

/** `GET http://host/path`, for plain HTTP. */
async function forward(
  from: IncomingMessage,
  to: ServerResponse,
  resolveHost: ResolveHost,
): Promise<void> {
  const url = URL.parse(from.url ?? "");
  if (url?.protocol !== "http:") return answer(to, 400);
  const addresses = await resolveHost(canonicalHost(url));
  const host = addresses?.[0];
  if (host === undefined) return answer(to, 403);
  const kept = Object.entries(from.headers).filter(([name]) => !hopByHop.test(name));
  // The host that was judged is the host that is asked.
  const headers = { ...Object.fromEntries(kept), host: url.host };
  const path = url.pathname + url.search;
  const port = url.port === "" ? 80 : Number(url.port);
  const outgoing = request({ host, port, path, method: from.method, headers });
  outgoing.on("error", () => answer(to, 502));
  to.on("close", () => outgoing.destroy());
  outgoing.on("response", (response) => {
    const answered = Object.entries(response.headers).filter(([name]) => !hopByHop.test(name));
    to.writeHead(response.statusCode ?? 502, Object.fromEntries(answered));
    response.pipe(to);
  });
  from.pipe(outgoing);
}

function answer(to: ServerResponse, status: number): void {
  if (to.headersSent) to.destroy();
  else to.writeHead(status, status === 407 ? { "proxy-authenticate": "Basic" } : {}).end();
}
