/** Questions about mini-claude itself, answered from its manual. */

import { unwrapMarkdown } from "../../../base/in-words.ts";
import { make, type AnswerScript, type Skill } from "../script.ts";
import { bare, paragraphs } from "../text.ts";
import { readFile } from "../tools.ts";
import { extractKeywords, rateMatch } from "../words.ts";

/** Topics by the words of a question; the first that matches. */
const topics: readonly (readonly [words: RegExp, topic: string])[] = [
  [/\b(?:compact\w*|context|meter|lens|summar\w+|pin|recall)\b/i, "context"],
  [/\b(?:price|cost|cheap\w*|prompt cache)\b/i, "cost"],
  [/\b(?:permissions?|sandbox|trust|approv\w+|permission mode|bypass)\b/i, "permissions"],
  [/\b(?:model|api key|key|provider|ollama|openai|anthropic|offline|connect)\b/i, "start"],
  [/\b(?:sessions?|resume|rewind|export|import|worktree)\b/i, "sessions"],
  [/\bsettings?\b/i, "settings"],
  [/\bmcp\b/i, "mcp"],
  [/\bhooks?\b/i, "hooks"],
  [/\b(?:skills?|subagents?|slash commands?|AGENTS\.md|CLAUDE\.md)\b/i, "commands"],
  [/\b(?:headless|sdk|json output|library)\b/i, "headless"],
  [/\b(?:uninstall|data on disk)\b/i, "uninstall"],
  [/\b(?:keys?|shortcuts?|scroll|mouse|copy|vim)\b/i, "screen"],
];

const asksAboutUs = /\bmini-?claude\b/i;
/** Words that are ours even where the project is not named; "how does the meter work" is about code. */
const asksHow =
  /^(?:how (?:do|can) (?:i|you)|can (?:i|you)|what (?:happens|survives|is lost))\b.*\b(?:compact\w*|real model|another model|api key|permission mode|sandbox|resume|rewind|session|mcp server|hooks?|skills?|lens|context window)\b/i;

export const manual: Skill = (request) => {
  const text = bare(request);
  if (!asksHow.test(text) && (!asksAboutUs.test(text) || /^where\b/i.test(text))) return null;
  const topic = topics.find(([words]) => words.test(text))?.[1] ?? "start";
  return explainFrom(topic, text);
};

const maxParts = 2;

/** The parts of the topic that hold the question's rarest words, below their headings. */
function* explainFrom(topic: string, question: string): AnswerScript {
  const page = yield* make(readFile(`mini-claude:help/${topic}`));
  if (page.failed) return `The manual explains it: /help ${topic}.`;
  // Without the sentence below the title, which is about the topic as a whole.
  const parts = unwrapMarkdown(page.text)
    .replace(/\n\n.+/, "")
    .split(/^(?=#)/m)
    .flatMap((section) => {
      const [heading = "", ...texts] = section.trim().split(/\n{2,}/);
      return texts.map((text) => `**${heading.replace(/^#+ /, "")}**\n\n${text}`);
    });
  const words = extractKeywords(question);
  const weights = words.map(
    (word) => 1 / (1 + parts.filter((part) => rateMatch(word, part)).length),
  );
  const score = (part: string): number =>
    words.reduce((sum, word, at) => sum + rateMatch(word, part) * (weights[at] ?? 0), 0);
  const best = parts
    .filter((part) => score(part) > 0)
    .toSorted((a, b) => score(b) - score(a))
    .slice(0, maxParts);
  return paragraphs(...(best.length > 0 ? best : parts.slice(0, 1)), `More: /help ${topic}`);
}
