/** Confines commands on macOS with Anthropic's sandbox runtime, which is loaded only there. */

import type { SandboxRuntimeConfig } from "@anthropic-ai/sandbox-runtime";
import { join } from "node:path";
import type { NetworkGate, Profile, Reach } from "./bubblewrap.ts";
import { partsOfHome } from "./tool-caches.ts";

type OpenGate = { network: Reach; refused: Set<string> };

/** The runtime reports the requested host, not the command. */
const gates = new Set<OpenGate>();

let started: Promise<typeof import("@anthropic-ai/sandbox-runtime").SandboxManager> | null = null;

async function start() {
  const { SandboxManager } = await import("@anthropic-ai/sandbox-runtime");
  await SandboxManager.initialize(
    {
      network: { allowedDomains: [], deniedDomains: [], allowLocalBinding: true },
      filesystem: { denyRead: [], allowWrite: [], denyWrite: [] },
    },
    async ({ host }) => {
      const open = [...gates];
      if (open.some(({ network }) => network.access === "any" || network.isAllowed(host)))
        return true;
      for (const { refused } of open) refused.add(host);
      return false;
    },
  );
  return SandboxManager;
}

/** Words before the program and its arguments. */
export async function wrapForMac(
  profile: Profile,
  network: Reach,
): Promise<{ before: string[]; gate: NetworkGate }> {
  const manager = await (started ??= start());
  const gate = { network, refused: new Set<string>() };
  gates.add(gate);
  const commandId = crypto.randomUUID();
  const hosts = typeof network.access === "string" ? [] : [...network.access];
  manager.registerCommandNetworkLists(commandId, { allowedDomains: hosts });
  const wrapped = await manager.wrapWithSandbox(
    'exec "$0" "$@"',
    "/bin/bash",
    runtimeConfig(profile),
    undefined,
    { commandId },
  );
  return {
    before: ["/bin/bash", "-c", `${wrapped} "$@"`, "bash"],
    gate: {
      refusals: () => [...gate.refused].map((host) => `${host} is not allowed.`),
      close(): void {
        gates.delete(gate);
        manager.unregisterCommandNetworkLists(commandId);
      },
    },
  };
}

/** Converts a profile for the runtime. For reading the more specific rule wins, for writing denials win. */
function runtimeConfig(
  profile: Profile,
): Pick<SandboxRuntimeConfig, "filesystem"> & { allowPty: boolean } {
  const { write, roots, shows, home, results, cwdFile, temporary, hidden, fixed } = profile;
  const { writable, open, noHooks, replaced } = profile;
  const { shown, secrets } = partsOfHome({ ...profile, caches: null });
  const own = [...writable, ...(cwdFile === undefined ? [] : [cwdFile]), temporary];
  const caches = profile.caches === null ? [] : [profile.caches];
  const literal = (paths: readonly string[]) =>
    [...new Set(paths)].map((path) => ({ path, literal: true as const }));
  return {
    allowPty: true,
    filesystem: {
      denyRead: literal([
        home,
        "/Users",
        "/Volumes",
        "/private/var/root",
        "/private/tmp",
        ...hidden,
        ...secrets,
        // No other content can be shown in their place.
        ...replaced.map(([path]) => path),
      ]),
      allowRead: literal([
        ...shows,
        ...roots,
        ...results,
        ...own,
        ...caches,
        ...shown.map(({ path }) => path),
      ]),
      allowWrite: literal([...(write ? [...roots, ...open] : []), ...own, ...caches]),
      denyWrite: literal([...fixed, ...noHooks, ...hidden]),
    },
  };
}

/** Where tools keep caches, since no other folder can be shown in place of the real ones. */
export const macVariables = ({ temporary, caches }: Profile): Record<string, string> => ({
  TMPDIR: temporary,
  ...(caches === null
    ? {}
    : {
        XDG_CACHE_HOME: join(caches, ".cache"),
        GOCACHE: join(caches, ".cache/go-build"),
        PIP_CACHE_DIR: join(caches, ".cache/pip"),
        npm_config_cache: join(caches, ".npm"),
        BUN_INSTALL_CACHE_DIR: join(caches, ".bun/install/cache"),
        GRADLE_USER_HOME: join(caches, ".gradle"),
      }),
});
