/** Entries, and the ends of turns, as messages of Claude Code. */

import type { Evidence } from "../../context/evidence.ts";
import { blockText } from "../../protocol/block.ts";
import type { Entry, EntryOf } from "../../protocol/entry.ts";
import { stepCall } from "../../protocol/outcome.ts";
import type { ModelTotals, TurnReport } from "./run-stats.ts";
import { noUsage, type Usage } from "../../protocol/model.ts";

export type PrintedMessage = { uuid?: string; [key: string]: unknown };

/** One message for each block of an answer. All share the id of the answer. */
export function answerMessages(answer: EntryOf<"assistant">, id: string): PrintedMessage[] {
  const { content, model, usage } = answer;
  return content.map((block, index) => ({
    type: "assistant",
    message: answerOnWire(id, model, [block], usage),
    uuid: makeUuid(answer, index),
  }));
}

/** The error that ended a turn, where its answer would be. */
export function errorMessage({ end, usage }: TurnReport): PrintedMessage {
  const content = [{ type: "text", text: errorText(end) }];
  return {
    type: "assistant",
    message: answerOnWire("msg_error", "<synthetic>", content, usage),
    error: errorKind(end.apiError?.status ?? 0),
  };
}

/** By status of HTTP. */
const errorKinds: Record<number, string> = {
  400: "invalid_request",
  401: "authentication_failed",
  403: "authentication_failed",
  404: "model_not_found",
  413: "invalid_request",
  429: "rate_limit",
  529: "overloaded",
};

const errorKind = (status: number): string =>
  errorKinds[status] ?? (status >= 500 ? "server_error" : "unknown");

/** The result of a tool call as a message of the user. */
export function toolResultMessage(entry: EntryOf<"result" | "step">): PrintedMessage {
  const { toolUse, content, isError } = entry;
  const text = blockText(content);
  const isText = content.every((block) => block.type === "text");
  const result = {
    tool_use_id: toolUse,
    type: "tool_result",
    content: isText ? text : content,
    ...(isError ? { is_error: true } : {}),
  };
  return {
    type: "user",
    message: { role: "user", content: [result] },
    tool_use_result: isError ? `Error: ${text}` : toToolUseResult(entry),
    uuid: makeUuid(entry),
  };
}

/** A call that a script made, and its result. */
export const stepMessages = (
  step: EntryOf<"step">,
  id: string,
  model: string,
): PrintedMessage[] => [
  {
    type: "assistant",
    message: answerOnWire(id, model, [stepCall(step)], noUsage),
    uuid: makeUuid(step),
  },
  { ...toolResultMessage(step), uuid: makeUuid(step, 1) },
];

function toToolUseResult({ tool, content }: EntryOf<"result" | "step">): unknown {
  const text = blockText(content);
  return tool === "Bash" ? { stdout: text, stderr: "", interrupted: false, isImage: false } : text;
}

/** The boundary of a cut, and the text of a summary. */
export function cutMessages(cut: EntryOf<"cut">): PrintedMessage[] {
  const { tier, trigger, price, changes } = cut;
  const boundary = {
    type: "system",
    subtype: "compact_boundary",
    compact_metadata: {
      trigger: trigger === "command" ? "manual" : "auto",
      pre_tokens: price.usedBefore,
      post_tokens: price.usedAfter,
      tier,
      ...(cut.summary?.rules && { rules: cut.summary.rules }),
    },
    uuid: makeUuid(cut),
  };
  const summaries = changes.flatMap((change) => (change.kind === "cover" ? [change.text] : []));
  return [
    boundary,
    ...summaries.map((text, index) => ({
      type: "user",
      message: { role: "user", content: text },
      isSynthetic: true,
      uuid: makeUuid(cut, index + 1),
    })),
  ];
}

/** How a turn ended, in Claude Code's words. An answer that is an API error is a "success". */
function describeOutcome({ end, answer, structured }: TurnReport) {
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

/** Claude Code's words for a failed call of the model. */
function errorText({ message = "", apiError }: TurnReport["end"]): string {
  const status = apiError?.status ?? null;
  return `API Error: ${status === null ? "" : `${status} `}${message}`;
}

/** Rules kept and results that nothing uses, named as in JSON. */
export const evidenceOnWire = ({ rules, unused }: Evidence): object => {
  const { results, tokens, usdPerCall } = unused;
  return { rules, unused: { results, tokens, usd_per_call: usdPerCall } };
};

/** The message `result`, without its ids. */
export function resultMessage(report: TurnReport): PrintedMessage {
  const { durationMs, apiMs, calls, stop, totalUsd, usage, models, denied, structured, budget } =
    report;
  return {
    type: "result",
    ...describeOutcome(report),
    duration_ms: Math.round(durationMs),
    duration_api_ms: Math.round(apiMs),
    num_turns: calls,
    stop_reason: stop,
    total_cost_usd: totalUsd,
    total_cost_is_estimate: models.values().some(({ rules }) => rules.prices.areEstimates ?? false),
    ...(budget.length > 0 && {
      budget: budget.map(({ scope, capUsd, spentUsd }) => {
        return { scope, cap_usd: capUsd, spent_usd: spentUsd };
      }),
    }),
    usage: usageOnWire(usage),
    modelUsage: modelUsageOnWire(models),
    permission_denials: denied.map(({ id, name, input }) => {
      return { tool_name: name, tool_use_id: id, tool_input: input };
    }),
    ...(structured === undefined ? {} : { structured_output: structured }),
  };
}

export function usageOnWire(usage: Usage) {
  const { input, cacheRead, cacheWrite, cacheWrite1h = 0, output, webSearches = 0 } = usage;
  return {
    input_tokens: input,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
    output_tokens: output,
    server_tool_use: { web_search_requests: webSearches, web_fetch_requests: 0 },
    service_tier: "standard",
    cache_creation: {
      ephemeral_1h_input_tokens: cacheWrite1h,
      ephemeral_5m_input_tokens: cacheWrite - cacheWrite1h,
    },
  };
}

export const answerOnWire = (
  id: string,
  model: string,
  content: readonly object[],
  usage: Usage,
) => ({
  id,
  type: "message",
  role: "assistant",
  model,
  content,
  stop_reason: null,
  stop_sequence: null,
  usage: usageOnWire(usage),
});

function modelUsageOnWire(models: ReadonlyMap<string, ModelTotals>) {
  return Object.fromEntries(
    models.entries().map(([model, { usage, costUsd, rules }]) => [
      model,
      {
        inputTokens: usage.input,
        outputTokens: usage.output,
        cacheReadInputTokens: usage.cacheRead,
        cacheCreationInputTokens: usage.cacheWrite,
        webSearchRequests: usage.webSearches ?? 0,
        costUSD: costUsd,
        contextWindow: rules.windowTokens,
        maxOutputTokens: rules.outputTokens,
      },
    ]),
  );
}

/** The entry that was printed, or sent by the client, under this UUID. */
export const entryNamed = (uuid: string, path: readonly Entry[]): Entry | undefined =>
  path.find((entry) => {
    if (entry.type === "user" && entry.uuid === uuid) return true;
    const blocks = entry.type === "assistant" ? entry.content.length : 1;
    return Array.from({ length: blocks }, (_, index) => makeUuid(entry, index)).includes(uuid);
  });

/**
 * The UUID of an entry, or of one block of it: the same whenever it is printed, and in a fork of the
 * session.
 */
export function makeUuid({ id, at }: Pick<Entry, "id" | "at">, block = 0): string {
  const hash = Bun.CryptoHasher.hash("sha256", `${id} ${at} ${block}`, "hex");
  const variant = "89ab"[Number.parseInt(hash.charAt(16), 16) % 4];
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `4${hash.slice(13, 16)}`,
    `${variant}${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join("-");
}
