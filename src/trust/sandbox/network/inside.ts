/** The sandbox side of the proxy: a forwarder that offers it on a local port. */

import { proxyVariables } from "../../../tools/web/address.ts";
// Only its types: it loads Node's HTTP server, which no start needs.
import type { HostProxy } from "./host-proxy.ts";

const folder = "/run/mini-claude";

/** Arguments of bubblewrap, after those that hide `/run`. */
export const proxyMounts = ({ socket }: HostProxy): string[] => [
  "--ro-bind",
  process.execPath,
  `${folder}/bun`,
  "--ro-bind",
  socket,
  `${folder}/proxy`,
];

/** Command prefix that starts the forwarder. The flags keep the workspace from influencing how Bun starts. */
export async function forwarder({ port }: HostProxy): Promise<string[]> {
  const { default: source } = await import("./forward.js.txt", { with: { type: "text" } });
  const flags = ["--no-env-file", "--config=/dev/null", "--tsconfig-override=/dev/null"];
  return [`${folder}/bun`, ...flags, "-e", source, `${folder}/proxy`, String(port)];
}

const here = "localhost,127.0.0.1,::1";

/** Variables by which programs find the proxy. */
export function proxyEnvironment({ port, login }: HostProxy): Readonly<Record<string, string>> {
  const address = `http://${login}@127.0.0.1:${port}`;
  return {
    ...Object.fromEntries(
      proxyVariables.flatMap((name) => [
        [name, address],
        [name.toLowerCase(), address],
      ]),
    ),
    NO_PROXY: here,
    no_proxy: here,
    NODE_USE_ENV_PROXY: "1",
    // Makes a compiled executable run scripts; removed before the command starts.
    BUN_BE_BUN: "1",
  };
}
