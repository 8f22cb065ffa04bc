import { pathsIn } from "../results.ts";
import { call, type Move } from "../skill.ts";
import { bullets } from "../text.ts";
import type { Turn } from "../turn.ts";

/** Whatever no skill takes: says plainly what this model is and is not, with examples from here. */
export function help(turn: Turn): Move {
  const { question, steps, tools } = turn;
  // One small look at the folder, so that the examples are of things that are there.
  if (steps.length === 0 && tools.has("glob"))
    return { calls: [call("glob", { pattern: "{src,lib,app,cmd,pkg,internal}/*.*" })] };
  const greeting = /^(hi|hello|hey|thanks?|thank you|good (morning|evening|day))\b/i.test(
    question.trim(),
  );
  const asked = /\b(what can you do|help|who are you|what are you|which model)\b/i.test(question);
  const opening = greeting ? "Hello. I am" : asked ? "I am" : "I cannot do that: I am";
  return {
    say: `${opening} the built-in **offline model**: no language model, but a planner that really searches, reads, edits and runs, without a key and without a network.

What I can do, in words like these:
${bullets(examplesFor(pathsIn(steps[0]?.text ?? "")))}

For everything else set a real model up and start again: \`ANTHROPIC_API_KEY\` for Claude, or \`ANTHROPIC_BASE_URL\` / \`OPENAI_BASE_URL\` for a server of your own such as Ollama, LM Studio or llama.cpp.`,
  };
}

function examplesFor(paths: readonly string[]): string[] {
  const file = paths.find((path) => /\.(tsx?|jsx?|py|rs|go|rb|java|c|cpp)$/.test(path));
  const folder = file?.split("/")[0] ?? "src";
  const name = (file?.split("/").at(-1) ?? "main.ts").replace(/\.\w+$/, "");
  return [
    "what is this project?",
    `where is ${name} used?`,
    `explain ${file ?? "README.md"}`,
    "run the tests, and then git status",
    `replace "old text" with "new text" in ${file ?? "README.md"}`,
    `read every file in ${folder} one by one`,
  ];
}
