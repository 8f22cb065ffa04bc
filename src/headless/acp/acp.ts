/** `mini-claude acp`: sessions for an editor. */

import {
  agent,
  type AgentContext,
  type McpServer,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
  type ResumeSessionRequest,
  type SessionConfigOption,
} from "@agentclientprotocol/sdk";
import { version } from "../../../package.json";
import type { Environment } from "../../base/environment.ts";
import { errorMessage } from "../../base/format.ts";
import { type Flags, parseFlags } from "../../config/flags.ts";
import type { SubcommandIo } from "../../config/subcommands.ts";
import { onSignals } from "../../base/signals.ts";
import { pathsFor } from "../../config/paths.ts";
import { userBlocks, type AcpSession, type AcpOpenOptions, openSession } from "./session.ts";
import { listAllSessions, listSessions, type SessionInfo } from "../../log/catalog.ts";
import { SessionInUse } from "../../log/log-error.ts";
import { removeSession } from "../../log/catalog.ts";
import type { AgentCommand } from "../../protocol/command.ts";
import { efforts } from "../../protocol/model.ts";
import {
  modeMeanings,
  modeNamed,
  type PermissionMode,
  permissionModes,
} from "../../protocol/permission.ts";

export const help = `mini-claude acp [flags]   serve an editor over the Agent Client Protocol

Takes the flags of a run, such as --model, --permission-mode and --trust: see mini-claude --help.
`;

/** Takes the flags of a run, too. Returns the exit code. */
export async function run(args: readonly string[], { env, cwd }: SubcommandIo): Promise<number> {
  const writer = Bun.stdout.writer();
  const output = new WritableStream<Uint8Array>({
    async write(chunk) {
      writer.write(chunk);
      await writer.flush();
    },
  });
  const leaving = new AbortController();
  let code = 0;
  onSignals((asked) => {
    code = asked;
    leaving.abort();
  });
  const streams = { input: Bun.stdin.stream(), output };
  await serve({ flags: parseFlags(args), env, cwd }, streams, leaving.signal);
  return code;
}

/** An error of the program as the protocol reports it. */
function refuse(error: unknown): never {
  throw RequestError.invalidParams({}, errorMessage(error));
}

/** Time that an earlier process of the editor has to end, in milliseconds. */
const endingMs = 10_000;

/** Opens a session; while an earlier process of the same editor still has it open, waits. */
async function onceFree<T>(open: () => Promise<T>): Promise<T> {
  const untilMs = performance.now() + endingMs;
  for (;;)
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof SessionInUse) || performance.now() > untilMs) throw error;
      await Bun.sleep(100);
    }
}

/** The process that the editor started: its flags hold for every session. */
type Process = { flags: Flags; env: Environment; cwd: string };

type Streams = { input: ReadableStream<Uint8Array>; output: WritableStream<Uint8Array> };

/** Serves an editor until it closes the connection, or `leaving` does. */
async function serve(
  program: Process,
  { input, output }: Streams,
  leaving: AbortSignal,
): Promise<void> {
  const sessions = new Map<string, AcpSession>();
  let isClosed = false;

  async function open(options: AcpOpenOptions, client: AgentContext): Promise<AcpSession> {
    // An editor that was closed and comes back loads what it had open.
    await close(options.session ?? "");
    const session = await onceFree(() => openSession(options, program, client)).catch(refuse);
    if (isClosed) {
      await session.close();
      throw RequestError.internalError({}, "The connection is closed.");
    }
    sessions.set(session.id, session);
    // An editor knows a session only once it has the response.
    setTimeout(() => void session.announceCommands().catch(() => undefined), 0);
    return session;
  }

  async function close(id: string): Promise<void> {
    const session = sessions.get(id);
    sessions.delete(id);
    await session?.close();
  }

  function known(id: string): AcpSession {
    const found = sessions.get(id);
    if (found) return found;
    throw RequestError.invalidParams({}, `There is no open session ${id}.`);
  }

  const app = agent({ name: "mini-claude" })
    .onRequest(methods.agent.initialize, () => {
      return {
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { name: "mini-claude", version },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: true, embeddedContext: true },
          mcpCapabilities: { http: true },
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
      const session = await open(toOpenOptions(params, null), client);
      return { sessionId: session.id, ...describeState(session) };
    })
    .onRequest(methods.agent.session.load, async ({ params, client }) => {
      const session = await open(toOpenOptions(params, params.sessionId), client);
      await session.replay();
      return describeState(session);
    })
    .onRequest(methods.agent.session.resume, async ({ params, client }) => {
      return describeState(await open(toOpenOptions(params, params.sessionId), client));
    })
    .onRequest(methods.agent.session.list, async ({ params }) => {
      const listed = await findSessions(params.cwd ?? null, program);
      return {
        sessions: listed.map(({ session, cwd, title, changedMs }) => {
          return { sessionId: session, cwd, title, updatedAt: new Date(changedMs).toISOString() };
        }),
      };
    })
    .onRequest(methods.agent.session.close, async ({ params }) => {
      known(params.sessionId);
      await close(params.sessionId);
      return {};
    })
    .onRequest(methods.agent.session.delete, async ({ params: { sessionId } }) => {
      await close(sessionId);
      await remove(sessionId, program).catch(refuse);
      return {};
    })
    .onRequest(methods.agent.session.setMode, ({ params }) => {
      const mode = modeNamed(params.modeId);
      if (!mode) throw RequestError.invalidParams({}, `There is no mode ${params.modeId}.`);
      known(params.sessionId).send({ type: "mode", mode });
      return {};
    })
    .onRequest(methods.agent.session.setConfigOption, async ({ params }) => {
      const session = known(params.sessionId);
      const command = commandFor(params.configId, params.value);
      if (!command)
        throw RequestError.invalidParams({}, `${params.configId} cannot be ${params.value}.`);
      await session.change(command);
      return { configOptions: listConfigOptions(session) };
    })
    .onRequest(methods.agent.session.prompt, async ({ params }) => {
      const content = userBlocks(params.prompt);
      return { stopReason: await known(params.sessionId).prompt(content) };
    })
    .onNotification(methods.agent.session.cancel, ({ params }) => {
      sessions.get(params.sessionId)?.send({ type: "stop" });
    });

  const connection = app.connect(ndJsonStream(output, input));
  leaving.addEventListener("abort", () => connection.close());
  await connection.closed;
  isClosed = true;
  await Promise.all([...sessions.values()].map((session) => session.close()));
}

/** Sessions of a folder; null: of all folders. */
function findSessions(folder: string | null, { env, cwd }: Process): Promise<SessionInfo[]> {
  const { sessions, projectSessions } = pathsFor(env, folder ?? cwd);
  return folder === null ? listAllSessions(sessions) : listSessions(projectSessions);
}

/** Rejects with a sentence. */
async function remove(id: string, program: Process): Promise<void> {
  const all = await findSessions(null, program);
  const found = all.find(({ session }) => session === id);
  if (!found) throw new Error(`There is no session ${id}.`);
  removeSession(found.file);
}

type SessionParams = Pick<ResumeSessionRequest, "cwd" | "additionalDirectories" | "mcpServers">;

const toOpenOptions = (params: SessionParams, session: string | null): AcpOpenOptions => ({
  cwd: params.cwd,
  addedFolders: params.additionalDirectories ?? [],
  mcpConfig: toMcpConfig(params.mcpServers ?? []),
  session,
});

/** The servers of an editor as the content of a file `.mcp.json`; null: there are none. */
function toMcpConfig(servers: readonly McpServer[]): string | null {
  if (servers.length === 0) return null;
  const named = servers.map((server) => [server.name, toServerConfig(server)]);
  return JSON.stringify({ mcpServers: Object.fromEntries(named) });
}

const toServerConfig = (server: McpServer): object =>
  "command" in server
    ? { command: server.command, args: server.args, env: toRecord(server.env) }
    : { type: server.type, url: server.url, headers: toRecord(server.headers) };

const toRecord = (pairs: readonly { name: string; value: string }[]): Record<string, string> =>
  Object.fromEntries(pairs.map(({ name, value }) => [name, value]));

const modeNames: Record<PermissionMode, string> = {
  default: "Default",
  "accept-edits": "Accept edits",
  auto: "Auto",
  plan: "Plan",
  bypass: "Bypass",
  "dont-ask": "Don't ask",
};

const describeState = (session: AcpSession) => ({
  configOptions: listConfigOptions(session),
  modes: {
    currentModeId: session.mode(),
    availableModes: permissionModes.map((id) => ({
      id,
      name: modeNames[id],
      description: modeMeanings[id].replace(/^./, (letter) => letter.toUpperCase()),
    })),
  },
});

/** The option for the model's own default effort. */
const usual = "default";

function listConfigOptions({ models, choice }: AcpSession): SessionConfigOption[] {
  const { model, effort } = choice();
  const names = models.includes(model) ? models : [model, ...models];
  return [
    {
      id: "model",
      name: "Model",
      category: "model",
      type: "select",
      currentValue: model,
      options: names.map((name) => ({ value: name, name })),
    },
    {
      id: "effort",
      name: "Effort",
      category: "thought_level",
      type: "select",
      currentValue: effort ?? usual,
      options: [usual, ...efforts].map((name) => ({ value: name, name })),
    },
  ];
}

/** The command that sets an option; null: there is no such option or value. */
function commandFor(id: string, value: unknown): AgentCommand | null {
  if (id === "model" && typeof value === "string") return { type: "model", model: value };
  if (id !== "effort") return null;
  const effort = efforts.find((name) => name === value) ?? null;
  return effort === null && value !== usual ? null : { type: "effort", effort };
}
