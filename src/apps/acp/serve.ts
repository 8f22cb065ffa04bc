import {
  agent,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
  type AgentContext,
  type ClientCapabilities,
  type NewSessionRequest,
  type ResumeSessionRequest,
  type SessionConfigOption,
  type SessionModeState,
} from "@agentclientprotocol/sdk";
import { messageOf } from "../../protocol/in-words.ts";
import {
  modeMeanings,
  modeNamed,
  permissionModes,
  type PermissionMode,
} from "../../protocol/permission.ts";
import type { Backend, BackendSession, OpenOptions } from "./backend.ts";
import { commandFor, configOptionsOf } from "./config-options.ts";
import { userBlocks } from "./content.ts";
import { mcpConfigOf } from "./mcp-config.ts";
import { AcpSession } from "./session.ts";

/** An error of the program as the protocol reports it. */
function refuse(error: unknown): never {
  throw RequestError.invalidParams({}, messageOf(error));
}

type Open = { session: AcpSession; backend: BackendSession };

type Streams = { input: ReadableStream<Uint8Array>; output: WritableStream<Uint8Array> };

/** Serves an editor until it closes the connection. */
export async function serveAcp(backend: Backend, { input, output }: Streams): Promise<void> {
  const sessions = new Map<string, Open>();
  let capabilities: ClientCapabilities = {};

  async function open(options: OpenOptions, client: AgentContext): Promise<Open> {
    const opened = await backend.open(options).catch(refuse);
    const showsCompactions = Boolean(capabilities.session?.compaction);
    const fail = (message: string): RequestError => RequestError.internalError({}, message);
    const session = new AcpSession(opened, client, { cwd: options.cwd, showsCompactions, fail });
    const entry = { session, backend: opened };
    sessions.set(opened.id, entry);
    // An editor knows a session only once it has the response.
    setTimeout(() => void session.announceCommands().catch(() => undefined), 0);
    return entry;
  }

  function known(id: string): Open {
    const found = sessions.get(id);
    if (found) return found;
    throw RequestError.invalidParams({}, `There is no open session ${id}.`);
  }

  const app = agent({ name: "mini-claude" })
    .onRequest(methods.agent.initialize, ({ params }) => {
      capabilities = params.clientCapabilities ?? {};
      return {
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { name: "mini-claude", version: backend.version },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: true, embeddedContext: true },
          mcpCapabilities: { http: true, sse: true },
          sessionCapabilities: {
            list: {},
            close: {},
            delete: {},
            resume: {},
            additionalDirectories: {},
          },
        },
        authMethods: [],
      };
    })
    .onRequest(methods.agent.authenticate, () => ({}))
    .onRequest(methods.agent.session.new, async ({ params, client }) => {
      const opened = await open(optionsOf(params, null), client);
      return { sessionId: opened.backend.id, ...stateOf(opened) };
    })
    .onRequest(methods.agent.session.load, async ({ params, client }) => {
      const opened = await open(optionsOf(params, params.sessionId), client);
      await opened.session.replay();
      return stateOf(opened);
    })
    .onRequest(methods.agent.session.resume, async ({ params, client }) => {
      return stateOf(await open(optionsOf(params, params.sessionId), client));
    })
    .onRequest(methods.agent.session.list, async ({ params }) => {
      const listed = await backend.list(params.cwd ?? null);
      return {
        sessions: listed.map(({ session, cwd, title, changedMs }) => {
          return { sessionId: session, cwd, title, updatedAt: new Date(changedMs).toISOString() };
        }),
      };
    })
    .onRequest(methods.agent.session.close, async ({ params }) => {
      const { session } = known(params.sessionId);
      sessions.delete(params.sessionId);
      await session.close();
      return {};
    })
    .onRequest(methods.agent.session.delete, async ({ params: { sessionId } }) => {
      await sessions.get(sessionId)?.session.close();
      sessions.delete(sessionId);
      await backend.remove(sessionId).catch(refuse);
      return {};
    })
    .onRequest(methods.agent.session.setMode, ({ params }) => {
      const mode = modeNamed(params.modeId);
      if (!mode) throw RequestError.invalidParams({}, `There is no mode ${params.modeId}.`);
      known(params.sessionId).backend.send({ type: "mode", mode });
      return {};
    })
    .onRequest(methods.agent.session.setConfigOption, async ({ params }) => {
      const { session, backend: opened } = known(params.sessionId);
      const command = commandFor(params.configId, params.value);
      if (!command)
        throw RequestError.invalidParams({}, `${params.configId} cannot be ${params.value}.`);
      await session.change(command);
      return { configOptions: configOptionsOf(opened) };
    })
    .onRequest(methods.agent.session.prompt, async ({ params }) => {
      const { session } = known(params.sessionId);
      return { stopReason: await session.prompt(userBlocks(params.prompt)) };
    })
    .onNotification(methods.agent.session.cancel, ({ params }) => {
      sessions.get(params.sessionId)?.session.cancel();
    });

  await app.connect(ndJsonStream(output, input)).closed;
  await Promise.all([...sessions.values()].map(({ session }) => session.close()));
}

type SessionParams =
  | Pick<NewSessionRequest, "cwd" | "additionalDirectories" | "mcpServers">
  | Pick<ResumeSessionRequest, "cwd" | "additionalDirectories" | "mcpServers">;

const optionsOf = (params: SessionParams, session: string | null): OpenOptions => ({
  cwd: params.cwd,
  addedFolders: params.additionalDirectories ?? [],
  mcpConfig: mcpConfigOf(params.mcpServers ?? []),
  session,
});

const modeNames: Record<PermissionMode, string> = {
  default: "Default",
  "accept-edits": "Accept edits",
  plan: "Plan",
  bypass: "Bypass",
  "dont-ask": "Don't ask",
};

type State = { modes: SessionModeState; configOptions: SessionConfigOption[] };

const stateOf = ({ backend }: Open): State => ({
  configOptions: configOptionsOf(backend),
  modes: {
    currentModeId: backend.mode(),
    availableModes: permissionModes.map((id) => ({
      id,
      name: modeNames[id],
      description: modeMeanings[id].replace(/^./, (letter) => letter.toUpperCase()),
    })),
  },
});
