import { clipLine } from "../../../base/clip.ts";
import type { OfflineConversation } from "../conversation.ts";
import { answer, type Skill, type AnswerScript } from "../script.ts";
import { bare } from "../text.ts";

const asksForQuestions =
  /\bwhat (?:did|have|was) (?:I|my)\b.*\b(?:ask|asked|say|said|want|tell|told|question)/i;
/** "What did I ask first?" */
export const history: Skill = (request, { earlier }) => {
  const text = bare(request);
  return asksForQuestions.test(text) ? answer(questions(text, earlier)) : null;
};

function questions(request: string, earlier: readonly string[]): string {
  if (earlier.length === 0) return "This is your first question.";
  const isLast = /\b(?:last|before|just|previous)\b/i.test(request);
  const from = isLast ? earlier.length - 1 : 0;
  const to = /\bfirst\b/i.test(request) ? 1 : earlier.length;
  const lines = earlier
    .slice(from, to)
    .map((text, at) => `${from + at + 1}. ${clipLine(text, 200)}`);
  return `You asked:\n${lines.join("\n")}`;
}

/** The file that "it" or "that file" means: the first one that the last answer names. */
export const lastPath = ({ lastAnswer }: OfflineConversation): string | null =>
  /`([^\s`:]+\.\w+)(?::\d+)?`/.exec(lastAnswer)?.[1] ?? null;

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
  [/^(?:undo|revert|go back|roll ?back)\b/i, "/rewind or “run git diff”"],
  [
    /\b(?:commit|push|merge|stash|rebase)\b/i,
    '“run git commit -am "MESSAGE"” or another “run COMMAND”',
  ],
  [
    /^(?:install|upgrade)\b|^(?:add|update)\b.*\b(?:package|dependenc(?:y|ies)|library|crate|package\.json)\b/i,
    "“run npm install NAME”, “run pip install NAME” or “run cargo add NAME”",
  ],
  [/^(?:remove|delete)\b/i, '“remove "TEXT" from FILE” or “delete FILE”'],
  [
    /\b(?:fix|change|set|bump|make|increase|replace|update|refactor|rename|improve|clean|optimi[sz]e|convert|translate|move)\b/i,
    '“change "OLD" to "NEW" in FILE” or “explain FILE”',
  ],
  [
    /\b(?:write|add|create|implement|build|generate)\b/i,
    '“create FILE with "TEXT"” or “add "TEXT" to FILE”',
  ],
];
const anything = "“what is this project?”, “where is NAME?”, “explain FILE” or “run COMMAND”";

/** A file or a name of the code in a request; null: there is none. */
const mentioned = (text: string): string | null =>
  /[\w@./-]*\w\.[a-z]{1,4}\b|\b\w+[a-z\d][A-Z]\w*|\b[a-z]\w*_\w+|(?<=\w )[A-Z][a-z]\w+/.exec(
    text,
  )?.[0] ?? null;

/** The answer to everything else: what this model is, and requests that it understands. */
export function help(request: string): AnswerScript {
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
  const name = mentioned(text);
  const works =
    instead.find(([words]) => words.test(text))?.[1] ??
    (name === null ? anything : `“explain ${name}” or “where is ${name} used?”`);
  return answer(
    `I can't do that: I'm the offline model and work by fixed rules, but ${works} would work, and /connect sets up a real model.`,
  );
}
