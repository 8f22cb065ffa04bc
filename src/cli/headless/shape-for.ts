import { chooseProvider } from "../../config/credentials.ts";
import type { LogStore } from "../../log/store.ts";
import { eventsShape } from "../../print/events.ts";
import { jsonShape } from "../../print/json.ts";
import type { Shape } from "../../print/shape.ts";
import { streamJsonShape, type RunFacts } from "../../print/stream-json.ts";
import { textShape } from "../../print/text.ts";
import { writeData, writeError } from "../output.ts";
import type { CommandInfo } from "../prompt-files.ts";
import type { Run } from "../run-types.ts";
import type { StartOptions } from "../start-options.ts";
import { printMessage, type Client } from "./client.ts";
import { mcpStatuses } from "./mcp-status.ts";

/** How the run is printed, by the flag `--output-format`. */
export function shapeFor(
  options: StartOptions,
  run: Run,
  log: LogStore,
  commands: readonly CommandInfo[],
  client: Client | null,
): Shape {
  const { headless, verbose } = options.flags;
  const { session } = log;
  const facts = (): RunFacts => ({
    cwd: options.cwd,
    model: client?.model ?? run.modelName,
    mode: run.toolbox.mode,
    tools: [...run.toolbox.definitions, ...(run.mcp?.tools() ?? [])].map(({ name }) =>
      name === "Agent" ? "Task" : name,
    ),
    mcp_servers: mcpStatuses(run.mcp),
    slash_commands: ["compact", ...commands.map(({ name }) => name)],
    agents: run.agents.map(({ name }) => name),
    skills: commands.flatMap(({ name, kind }) => (kind === "skill" ? [name] : [])),
    apiKeySource: keySource(options),
  });
  switch (headless.output) {
    case "text":
      return textShape(writeData, writeError);
    case "events":
      return eventsShape(writeData);
    case "json":
      return jsonShape({ session, facts, out: writeData, verbose });
    case "stream-json":
      return streamJsonShape({ session, facts, print: printMessage, ...headless });
    default:
      return headless.output satisfies never;
  }
}

/** The variable that holds the key. */
function keySource({ settings, env }: StartOptions): string {
  const choice = chooseProvider(settings, env);
  if (choice.provider === "offline" || !choice.apiKey) return "none";
  return choice.provider === "anthropic" ? "ANTHROPIC_API_KEY" : "OPENAI_API_KEY";
}
