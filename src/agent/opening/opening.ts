/** The initial facts of a session. */

import { isDeepStrictEqual } from "node:util";
import { toolLines } from "../../base/tool-lines.ts";
import type { SessionLog } from "../../log/log.ts";
import type { ContextFact, Entry, Fact, SessionFact } from "../../protocol/entry.ts";
import type { ToolDefinition } from "../../protocol/model.ts";
import systemPrompt from "../prompts/system.md" with { type: "text" };
import { describeEnvironment, type Surroundings } from "./environment.ts";

type OpeningOptions = Surroundings & {
  /** The log so far; empty for a new session. */
  path: readonly Entry[];
  session: string;
  /** Format of the log. */
  version: number;
  model: string;
  tools: ToolDefinition[];
  /** The system prompt of a new session. */
  system: string;
  /** The parent, for a subagent. */
  startedBy?: SessionFact["startedBy"] | undefined;
  /** Flags that replace the resumed session's own prompt or tools. */
  replaces?: { system?: boolean; tools?: boolean };
  /** Instructions of the user and of the project. */
  instructions: readonly ContextFact[];
  /** The folder of the resumed session no longer exists; it continues in this one. */
  hasMoved?: boolean;
  /** Changes on disk since the model last looked. */
  changes: readonly ContextFact[];
};

/** The built-in system prompt or its replacement, and what is appended. `tools`: names of those of the run. */
export function promptFrom(
  { system, append }: { system?: string | undefined; append?: string | undefined },
  tools: readonly string[],
): string {
  const parts = [system ?? toolLines(systemPrompt.trim(), new Set(tools)).join("\n"), append ?? ""];
  return parts.filter((text) => text !== "").join("\n\n");
}

/**
 * The facts that a session begins with. System prompt and tools are fixed by the first entry; a
 * resumed session gets only facts that its log lacks, and the model if it has changed. A session of an
 * older format gets the current prompt and tools.
 */
export async function openingFacts(options: OpeningOptions): Promise<Fact[]> {
  const { path, session, version, cwd, model, system, tools, instructions, changes } = options;
  const environment = await describeEnvironment(options);
  const current = path.findLast((entry) => entry.type === "session");
  if (!current) {
    const { startedBy } = options;
    const start = startedBy ? { startedBy } : {};
    const first: Fact = { type: "session", version, session, cwd, model, system, tools, ...start };
    return [first, environment, ...instructions];
  }
  const said = new Set(
    path.flatMap((entry) => (entry.type === "context" ? [JSON.stringify(entry.content)] : [])),
  );
  const news = [environment, ...instructions, ...changes].filter(
    ({ content }) => !said.has(JSON.stringify(content)),
  );
  const facts: Fact[] = currentModel(path) === model ? news : [{ type: "model", model }, ...news];
  // The tools of an older format had other names than the calls that were converted on reading.
  const isCurrent = current.version >= version;
  const { replaces = {}, hasMoved = false } = options;
  if (isCurrent && !hasMoved && !isReplaced(current, options)) return facts;
  const { id: _id, parent: _parent, at: _at, ...older } = current;
  const renewed = {
    ...older,
    version,
    ...(hasMoved && { cwd }),
    model: currentModel(path) ?? model,
    system: isCurrent && !replaces.system ? current.system : system,
    tools: isCurrent && !replaces.tools ? current.tools : tools,
  };
  return [renewed, ...facts];
}

/** Whether the system prompt or tools of a resumed session change, which invalidates its cached prompt. */
function isReplaced(
  current: Pick<OpeningOptions, "system" | "tools">,
  { system, tools, replaces = {} }: OpeningOptions,
): boolean {
  if (replaces.system && system !== current.system) return true;
  return (replaces.tools ?? false) && !isDeepStrictEqual(ownTools(current.tools), ownTools(tools));
}

/** Without MCP tools, which are added when found. */
const ownTools = (tools: readonly ToolDefinition[]): ToolDefinition[] =>
  tools.filter(({ name }) => !name.startsWith("mcp__"));

/** The model of a resumed session; undefined if it only used the offline model. */
export function resumedModel(log: Pick<SessionLog, "path">): string | undefined {
  const model = currentModel(log.path);
  return model === "offline" ? undefined : model;
}

const currentModel = (path: readonly Entry[]): string | undefined =>
  pickModel(path.findLast(({ type }) => type === "model" || type === "session"));

const pickModel = (entry: Entry | undefined): string | undefined =>
  entry?.type === "model" || entry?.type === "session" ? entry.model : undefined;
