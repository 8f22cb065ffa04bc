import type { TurnReport } from "./run-stats.ts";
import { modelUsageOnWire, usageOnWire } from "./wire.ts";

/** How a turn ended, in Claude Code's words. An answer that is an API error is a "success". */
function outcomeOf({ end, answer, structured }: TurnReport) {
  const { why, message = "", limit, apiError } = end;
  if (why === "done") {
    return {
      subtype: "success",
      is_error: false,
      result: structured === undefined ? answer : JSON.stringify(structured),
    };
  }
  if (apiError) {
    return {
      subtype: "success",
      is_error: true,
      api_error_status: apiError.status,
      result: errorText(end),
    };
  }
  const subtype = limit === undefined ? "error_during_execution" : `error_max_${limits[limit]}`;
  return { subtype, is_error: true, errors: message === "" ? [] : [message] };
}

const limits = { turns: "turns", budget: "budget_usd", structured: "structured_output_retries" };

/** What Claude Code says when a call of the model failed. */
export function errorText({ message = "", apiError }: TurnReport["end"]): string {
  const status = apiError?.status ?? null;
  return `API Error: ${status === null ? "" : `${status} `}${message}`;
}

/** The message `result`, without its ids. */
export function resultMessage(report: TurnReport) {
  const { durationMs, apiMs, calls, stop, totalUsd, usage, models, denied, structured } = report;
  return {
    type: "result",
    ...outcomeOf(report),
    duration_ms: Math.round(durationMs),
    duration_api_ms: Math.round(apiMs),
    num_turns: calls,
    stop_reason: stop,
    total_cost_usd: totalUsd,
    usage: usageOnWire(usage),
    modelUsage: modelUsageOnWire(models),
    permission_denials: denied.map(({ id, name, input }) => {
      return { tool_name: name, tool_use_id: id, tool_input: input };
    }),
    ...(structured === undefined ? {} : { structured_output: structured }),
  };
}
