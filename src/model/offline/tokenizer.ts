import type { ModelRequest } from "../../protocol/model.ts";

/** The offline model's own tokens: four characters each, in every kind of text. */
export const charsPerToken = 4;

export const tokensIn = (text: string): number => Math.ceil(text.length / charsPerToken);

/** Tokens of a whole request. */
export function tokensOfRequest({ system, tools, messages }: ModelRequest): number {
  const words = [
    ...system.map(({ text }) => text),
    JSON.stringify(tools, (key, value: unknown) => (key === "cache_control" ? undefined : value)),
  ];
  let tokens = words.reduce((sum, text) => sum + tokensIn(text), 0);
  for (const { content } of messages) {
    for (const block of content) {
      if (block.type === "text") tokens += tokensIn(block.text);
      else if (block.type === "tool_use")
        tokens += tokensIn(block.name + JSON.stringify(block.input));
      else if (block.type === "tool_result") {
        for (const part of block.content)
          tokens += part.type === "text" ? tokensIn(part.text) : 1_600;
      } else tokens += tokensIn(JSON.stringify(block));
    }
  }
  return tokens;
}
