/** Lets hooks of the type `prompt`, which are questions, ask a model outside the conversation. */

import type { AskModel } from "../hooks/prompt-hook.ts";
import type { ModelClient } from "../model/client.ts";
import { textOf } from "../protocol/block.ts";
import { costOf, noUsage, type Usage } from "../protocol/model.ts";

/** Room for an answer, and for thinking where it cannot be turned off. */
const maxTokens = 4_000;

/** Asks a model once, outside the session. `nameOf`: of the model for a question, which may name one. */
export function askWith(client: ModelClient, nameOf: (asked?: string) => string): AskModel {
  return async ({ system, text, model }, signal) => {
    const name = nameOf(model);
    const { prices, outputTokens } = await client.rules(name);
    const said: string[] = [];
    let usage: Usage = noUsage;
    const answer = client.stream(
      {
        model: name,
        system: [{ type: "text", text: system }],
        tools: [],
        messages: [{ role: "user", content: [{ type: "text", text }] }],
        maxTokens: Math.min(maxTokens, outputTokens),
        thinking: "off",
        dropStaleThinking: false,
        purpose: "turn",
      },
      signal,
    );
    for await (const event of answer) {
      if (event.type === "block") said.push(textOf([event.block]));
      if (event.type === "stop") usage = event.usage;
    }
    const spent = { model: name, usage, usd: costOf(usage, prices) };
    return { text: said.join(""), spent };
  };
}
