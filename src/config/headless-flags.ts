/** Flags for a run without a screen: what is read, what is printed, when it ends. */

import { z } from "zod";
import { parseJson } from "../base/guards.ts";
import type { FlagValues } from "./flag-options.ts";
import { oneOf, UsageError } from "./usage-error.ts";

/** "events": the agent's own events. The others are printed as Claude Code prints them. */
const outputFormats = ["text", "json", "stream-json", "events"] as const;
const inputFormats = ["text", "stream-json"] as const;

export type HeadlessFlags = ReturnType<typeof headlessFlags>;

/** The API requires an object at the top. */
const jsonSchemaSchema = z.looseObject({ type: z.literal("object") });

/** Throws `UsageError`. */
export function headlessFlags(values: FlagValues) {
  const output = oneOf("--output-format", outputFormats, values["output-format"] ?? "text");
  const input = oneOf("--input-format", inputFormats, values["input-format"] ?? "text");
  if (input === "stream-json" && output !== "stream-json")
    throw new UsageError("--input-format stream-json needs --output-format stream-json.");
  const schema = values["json-schema"];
  const maxTurns = positive("--max-turns", values["max-turns"]);
  if (maxTurns !== undefined && !Number.isInteger(maxTurns))
    throw new UsageError(`--max-turns must be a whole number, not ${maxTurns}.`);
  return {
    output,
    input,
    /** Print `stream_event` messages while an answer arrives. */
    partialMessages: values["include-partial-messages"] ?? false,
    /** Print the user's messages as they are accepted. */
    replayUserMessages: values["replay-user-messages"] ?? false,
    /** The answer must be an object of this JSON schema. */
    jsonSchema: schema === undefined ? undefined : parseSchema(schema),
    /** Calls of the model before the run ends. */
    maxTurns,
    maxBudgetUsd: positive("--max-budget-usd", values["max-budget-usd"]),
    /** Who is asked for approval: "stdio" is the client, else the name of an MCP tool. */
    permissionPromptTool: values["permission-prompt-tool"],
  };
}

function positive(flag: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const value = Number(given);
  if (Number.isFinite(value) && value > 0) return value;
  throw new UsageError(`${flag} must be a number above 0, not ${given}.`);
}

/** Throws `UsageError`. */
function parseSchema(text: string): Record<string, unknown> {
  const { data } = jsonSchemaSchema.safeParse(parseJson(text));
  if (data) return data;
  throw new UsageError('--json-schema must be a JSON schema with "type": "object".');
}
