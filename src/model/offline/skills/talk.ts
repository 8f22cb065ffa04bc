import type { Skill } from "../skill.ts";
import { argument } from "../turn.ts";

/** Questions about the conversation itself. */
export const recollect: Skill = ({ question, earlier, history }) => {
  if (/\bwhat (did|have) I (ask|say|want|tell)/i.test(question)) {
    const which = /\bfirst\b/i.test(question) ? earlier.slice(0, 1) : earlier;
    if (which.length === 0) return { say: "This is your first question in what I can see." };
    return {
      say: `You asked:\n${which.map((text, index) => `${index + 1}. ${text.split("\n")[0]}`).join("\n")}`,
    };
  }
  if (/\b(what|which) files (did|have) (we|you)\b/i.test(question)) {
    const files = new Set(
      history.map((step) => argument(step, "path")).filter((path) => path !== ""),
    );
    return {
      say:
        files.size === 0
          ? "None so far."
          : `We looked at:\n${[...files].map((path) => `- \`${path}\``).join("\n")}`,
    };
  }
  return null;
};

export const examples = `- what is this project?
- where is the context meter drawn?
- explain src/main.ts
- run the tests
- replace "old text" with "new text" in README.md
- read every file in src one by one`;

/** Whatever no other skill takes: says plainly what this model is, and what it is not. */
export const help: Skill = ({ question }) => {
  const greeting = /^(hi|hello|hey|thanks?|thank you|good (morning|evening|day))\b/i.test(
    question.trim(),
  );
  const asked = /\b(what can you do|help|who are you|what are you)\b/i.test(question);
  const opening = greeting ? "Hello. I am" : asked ? "I am" : "I cannot do that: I am";
  return {
    say: `${opening} the built-in **offline model**: no language model, but a planner that really searches, reads, edits and runs, without a key and without a network.

What I can do, in words like these:
${examples}

For everything else set a real model up and start again: \`ANTHROPIC_API_KEY\` for Claude, or \`ANTHROPIC_BASE_URL\` / \`OPENAI_BASE_URL\` for a server of your own such as Ollama, LM Studio or llama.cpp.`,
  };
};
