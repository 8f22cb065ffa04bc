/**
 * A plain loop over the Messages API whose conversation is compacted: an example of
 * `mini-claude/context`. Only the lines with `context` differ from a loop that sends its whole list
 * of messages.
 */

import { z } from "zod";
import { createContext } from "../../../src/headless/library/context.ts";

type Options = {
  baseUrl: string;
  windowTokens: number;
  /** Runs a call of the only tool, `Read`. */
  read(path: string): Promise<string>;
};

const model = "claude-sonnet-4-5";

const tool = {
  name: "Read",
  description: "Reads a file.",
  input_schema: {
    type: "object" as const,
    properties: { file_path: { type: "string" } },
    required: ["file_path"],
  },
};

const answerSchema = z.looseObject({
  role: z.literal("assistant"),
  content: z.array(
    z.discriminatedUnion("type", [
      z.looseObject({ type: z.literal("text"), text: z.string() }),
      z.looseObject({
        type: z.literal("tool_use"),
        id: z.string(),
        input: z.object({ file_path: z.string() }),
      }),
    ]),
  ),
});

async function send(baseUrl: string, body: object) {
  const headers = {
    "x-api-key": "test",
    "anthropic-version": "2023-06-01",
    "content-type": "application/json",
  };
  const url = `${baseUrl}/v1/messages`;
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  return answerSchema.parse(await response.json());
}

/** Answers each prompt; returns the last answer and the cuts that were made. */
export async function chat(prompts: readonly string[], options: Options) {
  const rules = { windowTokens: options.windowTokens };
  const context = createContext({ model, system: "Be brief.", tools: [tool], rules });
  const cuts: string[] = [];
  let said = "";
  for (const prompt of prompts) {
    context.push({ role: "user", content: prompt });
    for (const cut of await context.compact()) cuts.push(`${cut.tier}: ${cut.reason}`);
    for (let isWorking = true; isWorking;) {
      const { system, messages } = context.request();
      const body = { model, max_tokens: 1_000, system, tools: [tool], messages };
      const answer = await send(options.baseUrl, body);
      context.push(answer);
      const calls = answer.content.flatMap((block) => (block.type === "tool_use" ? [block] : []));
      const results = await Promise.all(
        calls.map(async ({ id, input }) => {
          const { file_path: path } = Object(input);
          return {
            type: "tool_result",
            tool_use_id: id,
            content: await options.read(String(path)),
          };
        }),
      );
      if (results.length > 0) context.push({ role: "user", content: results });
      isWorking = results.length > 0;
      said = answer.content.map((block) => (block.type === "text" ? block.text : "")).join("");
    }
  }
  return { said, cuts, meter: context.meter() };
}
