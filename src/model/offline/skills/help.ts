import { answer, type Script } from "../script.ts";

const examples = `- what is this project?
- how do I run the tests?
- where is NAME defined?
- explain FILE
- change the version to 1.2.3
- replace "old text" with "new text" in FILE
- run COMMAND`;

/** By the words of a request: what works in its place. */
const instead: readonly (readonly [words: RegExp, requests: string])[] = [
  [
    /\b(?:why|fail(?:s|ing|ed)?|errors?|crash(?:es)?|debug)\b/i,
    '“run the tests” or “where does "ERROR TEXT" come from?”',
  ],
  [
    /\b(?:fix|change|update|refactor|rename|improve|clean|optimi[sz]e|convert|translate|move)\b/i,
    '“change "OLD" to "NEW" in FILE” or “explain FILE”',
  ],
  [
    /\b(?:write|add|create|implement|build|generate)\b/i,
    '“create FILE with "TEXT"” or “add "TEXT" to FILE”',
  ],
];
const anything = "“what is this project?”, “where is NAME?”, “explain FILE” or “run COMMAND”";

/** The answer to everything else: what this model is, and requests that it understands. */
export function help(request: string): Script {
  const text = request.trim();
  if (/^(?:thanks|thank you)(?: (?:a lot|so much|very much))?[.!]*$/i.test(text))
    return answer("You're welcome.");
  const isGreeting = /^(?:hi|hello|hey|good (?:morning|evening|day))\b/i.test(text);
  const isAsked =
    /\b(?:what can you do|help|who are you|what are you|which model|are you claude)\b/i.test(text);
  if (isGreeting || isAsked)
    return answer(
      `${isGreeting ? "Hello! " : ""}I'm the offline model: I search, read and edit files and run commands by fixed rules. Try:\n${examples}\n\nOr use /connect to set up a real model.`,
    );
  const works = instead.find(([words]) => words.test(text))?.[1] ?? anything;
  return answer(
    `I can't do that: I'm the offline model and work by fixed rules, but ${works} would work, and /connect sets up a real model.`,
  );
}
