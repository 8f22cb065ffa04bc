/** A summary made of the conversation's own words: no language model, so nothing is invented. */

import { textOf } from "../../protocol/block.ts";
import type { ModelRequest } from "../../protocol/model.ts";
import { charsPerToken } from "./tokenizer.ts";
import { argument, readTurn, type Step } from "./turn.ts";

export function writeSummary(request: ModelRequest): string {
  // The last words of the user are the request for this summary.
  const { earlier, history, steps } = readTurn(request);
  const calls = [...history, ...steps];
  const of = (...tools: string[]): Step[] => calls.filter(({ tool }) => tools.includes(tool));
  const paths = (found: readonly Step[]): string[] =>
    [...new Set(found.map((step) => argument(step, "path")))].filter((path) => path !== "");
  const answers = request.messages
    .filter(({ role }) => role === "assistant")
    .map(({ content }) => textOf(content).trim());
  const sections = [
    section("1. Intent", earlier.slice(0, 1)),
    section("2. Decisions", []),
    section("3. Files", [
      ...paths(of("write_file", "edit_file")).map((path) => `changed: ${path}`),
      ...paths(of("read_file")).map((path) => `read: ${path}`),
    ]),
    section(
      "4. Errors and fixes",
      calls
        .filter(({ failed }) => failed)
        .slice(-8)
        .map(({ tool, text }) => `${tool}: ${clip(text, 160)}`),
    ),
    section(
      "5. The user's messages",
      earlier.map((text) => clip(text, 400)),
    ),
    section(
      "6. Commands",
      of("bash")
        .slice(-12)
        .map(
          (step) =>
            `\`${clip(argument(step, "command"), 100)}\`: ${step.failed ? "failed" : "ended well"}`,
        ),
    ),
    section("7. Current state", [clip(answers.findLast((text) => text !== "") ?? "", 1_200)]),
    section("8. Next step", [clip(earlier.at(-1) ?? "", 300)]),
  ].filter((text) => text !== "");
  const most = request.maxTokens * charsPerToken - 200;
  let body = sections.join("\n\n");
  if (body.length > most) body = `${body.slice(0, most)}…`;
  return `<summary>\n${body === "" ? "Nothing was said or done before this point that would have to be kept; the log holds everything." : body}\n</summary>`;
}

const section = (title: string, lines: readonly string[]): string => {
  const shown = lines.filter((line) => line !== "");
  return shown.length === 0 ? "" : `${title}:\n${shown.map((line) => `- ${line}`).join("\n")}`;
};

const clip = (text: string, most: number): string => {
  const flat = text.replace(/\s+/g, " ").trim();
  return flat.length > most ? `${flat.slice(0, most - 1)}…` : flat;
};
