/** The debug log and what writes to it. Loaded only with `--debug` or `MINI_CLAUDE_DEBUG`. */

import type { Agent } from "../../agent/agent.ts";
import type { Session } from "../../agent/session.ts";
import type { TurnBoundaries } from "../../agent/turn-boundaries.ts";
import type { ModelClient } from "../../model/client.ts";
import type { Fetch } from "../../model/network.ts";
import type { Environment } from "../../base/environment.ts";
import { openDebugLog } from "./debug-log.ts";
import { traceAgent } from "./trace-agent.ts";
import { traceBoundaries } from "./trace-boundaries.ts";
import { traceFetch } from "./trace-fetch.ts";
import { traceModel } from "./trace-model.ts";

/** Wraps the parts of a run so that they report to the log. */
export type Tracer = ReturnType<typeof createTracer>;

const secretName = /KEY|TOKEN|SECRET|PASSWORD/i;

/** Values of variables that are named like secrets never reach the log. Throws when it cannot be opened. */
export function createTracer(file: string, env: Environment) {
  const secrets = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && secretName.test(name) ? [value.trim()] : [],
  );
  const log = openDebugLog(file, secrets);
  return {
    ...log,
    fetch: (fetch: Fetch) => traceFetch(fetch, log),
    model: (model: ModelClient) => traceModel(model, log),
    agent: (agent: Agent) => traceAgent(agent, log),
    boundaries: (boundaries: TurnBoundaries, session: Session) =>
      traceBoundaries(boundaries, session, log),
  };
}
