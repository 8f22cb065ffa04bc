import { keySource } from "../config/credentials.ts";
import { mcpStatuses } from "../extensions/mcp/session.ts";
import { eventsShape, jsonShape, textShape } from "./print/formats.ts";
import { printMessage, writeData, writeError } from "./print/output.ts";
import type { Shape } from "./print/print.ts";
import { type RunFacts, streamJsonShape } from "./print/stream-json.ts";
import type { HeadlessRun } from "./headless-run.ts";

/** How the run is printed, by the flag `--output-format`. */
export function shapeFor(opened: HeadlessRun): Shape {
  const { options, run, log } = opened;
  const { headless, verbose } = options.flags;
  const { session } = log;
  const facts = (): RunFacts => ({
    cwd: options.cwd,
    model: opened.model,
    mode: run.toolbox.mode,
    tools: [...run.toolbox.definitions, ...(run.mcp?.tools() ?? [])].map(({ name }) =>
      name === "Agent" ? "Task" : name,
    ),
    mcp_servers: mcpStatuses(run.mcp),
    slash_commands: ["compact", ...opened.custom.map(({ name }) => name)],
    agents: run.agents.map(({ name }) => name),
    skills: opened.custom.flatMap(({ name, kind }) => (kind === "skill" ? [name] : [])),
    apiKeySource: keySource(options.settings, options.env).variable ?? "none",
  });
  switch (headless.output) {
    case "text":
      return textShape(writeData, writeError);
    case "events":
      return eventsShape(writeData);
    case "json":
      return jsonShape({ session, facts, out: writeData, verbose });
    case "stream-json": {
      const stateEvents = options.env["CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS"] === "1";
      return streamJsonShape({ session, facts, print: printMessage, stateEvents, ...headless });
    }
    default:
      return headless.output satisfies never;
  }
}
