/**
 * The user's messages, the instructions in them, which a summary must not drop, and the rules of the session: how
 * the user wants the work done, found in the log without a model.
 */

import { cutMiddle } from "../../base/clip.ts";
import type { View } from "../types.ts";
import { rangeRows, wholeRange, type RowRange } from "../view/rows.ts";
import { standingContext } from "../view/standing-context.ts";
import { blockText } from "../../protocol/block.ts";
import type { Entry, EntryId } from "../../protocol/entry.ts";

export type Instruction = UserMessage & {
  /** A standing rule ("always", "never", "from now on"), or a one-time request ("use X"). */
  standing: boolean;
  /** Instructs how to work, not what to do now: a standing rule, a convention, or "use X". */
  isRule: boolean;
  /** A rule of the session: typed by the user, or in an instructions file. */
  isOwn?: true;
};

/** Longer sentences were probably pasted. */
const maxChars = 1_000;

const alone = (words: string): RegExp => new RegExp(`(?<!\\p{L})(?:${words})(?!\\p{L})`, "iu");

/** Words that make a rule, in common languages. */
const standingWords: readonly RegExp[] = [
  alone(
    "always|never|don'?t|don’t|do not|must|mustn'?t|shall|only|make sure|ensure|from now on|prefer|avoid|remember|no longer|instead of|without|should(?:n'?t)?|may not|can(?:no|')t (?:use|change|touch)|at (?:most|least)|important|require[sd]?|forbidden|not allowed|under no circumstances",
  ),
  alone(
    "immer|nie|niemals|nicht|kein(?:e[nmrs]?)?|nur|muss|müssen|sollst|ab jetzt|ab sofort|achte|vermeide|statt",
  ),
  alone("toujours|jamais|ne .{1,40} pas|uniquement|seulement|désormais|évite[zr]?|doi[ts]|il faut"),
  alone("siempre|nunca|jamás|no (?:uses|toques|cambies)|solo|sólo|debes?|evita|a partir de ahora"),
  alone(
    "sempre|mai|soltanto|evita(?:re)?|apenas|somente|devem?|evite|altijd|nooit|alleen|zawsze|nigdy",
  ),
  alone("всегда|никогда|нельзя|не (?:надо|нужно|используй|трогай|меняй)|только|обязательно"),
  /必须|不要|不能|不得|总是|始终|永远|禁止|务必|只能|必ず|しないで|絶対|常に|だけ(?:を|に)|항상|절대|반드시|하지 ?마/u,
];

/** Statements about how things are done here: "The indentation is two spaces everywhere." */
const convention =
  /^(?:we|our|all|every|each|any|tests|files|comments|names|commits|branches|variables|functions|errors)\b[^?]*\b(?:is|are|has|have|use|go|live|belong|come|run|end|start|need|follow)s?\b[^?]*$|^[^?]*\b(?:everywhere|throughout)\b[^?]*$/i;

/** Verbs of how, not of what: "use tabs", not "add a test". */
const manner =
  /^(?:please |also |and |then |now |but |so |just |no, )*(?:use(?! when| after| it when)|keep|name|call|leave|follow|stick|treat|assume|ignore|format|prefer)\b/i;

const requests: readonly RegExp[] = [
  convention,
  /^(?:please |also |and |then |now |but |so |just )*(?:use|keep|write|put|name|call|leave|follow|stick|stop|run|format|start|begin|return|answer|reply|commit|test|add|make|treat|assume|ignore|skip|work|document)\b/i,
  alone(
    "verwende|benutze|nutze|behalte|schreibe?|bitte|utilise[zr]?|garde[zr]?|usa|mantén|используй",
  ),
  /使用|保持|请|使って|ください|사용/u,
];

/** Sentences that tell the agent how to work, oldest first. */
export const findInstructions = (words: readonly UserMessage[]): Instruction[] =>
  words.flatMap(({ entry, text }) =>
    splitSentences(text).flatMap((sentence) => {
      const standing = standingWords.some((pattern) => pattern.test(sentence));
      const isRule = standing || manner.test(sentence) || convention.test(sentence);
      const isInstruction = isRule || requests.some((pattern) => pattern.test(sentence));
      return isInstruction ? [{ entry, text: sentence, standing, isRule }] : [];
    }),
  );

/** The instructions that the text does not contain, each once. */
export function missingInstructions(
  text: string,
  instructions: readonly Instruction[],
): Instruction[] {
  const held = ` ${normal(text)} `;
  const seen = new Set<string>();
  return instructions.filter((instruction) => {
    const wanted = normal(instruction.text);
    if (wanted === "" || seen.has(wanted) || held.includes(` ${wanted} `)) return false;
    seen.add(wanted);
    return true;
  });
}

/**
 * The instructions that fit: the session's own rules first, newest first; then standing ones of pasted texts,
 * shortest first, so that most of them fit; then one-time requests. `ownChars`: the room for the session's own.
 * Both lists keep the given order.
 */
export function fitInstructions(
  instructions: readonly Instruction[],
  roomChars: number,
  ownChars = roomChars,
): { kept: Instruction[]; dropped: Instruction[] } {
  const rank = ({ isOwn, standing, text }: Instruction): number =>
    isOwn ? 0 : standing ? text.length : Number.MAX_SAFE_INTEGER;
  const byUrgency = instructions.toReversed().sort((a, b) => rank(a) - rank(b));
  const kept = new Set<Instruction>();
  let taken = 0;
  for (const instruction of byUrgency) {
    const end = taken + instruction.text.length;
    if (end > Math.min(roomChars, instruction.isOwn ? ownChars : Infinity)) continue;
    kept.add(instruction);
    taken = end + 10;
  }
  return {
    kept: instructions.filter((instruction) => kept.has(instruction)),
    dropped: instructions.filter((instruction) => !kept.has(instruction)),
  };
}

/** Typed sentences: no code, no pasted output. */
function splitSentences(text: string): string[] {
  return text
    .replace(/```[\s\S]*?(?:```|$)/g, "\n")
    .split("\n")
    .map((line) => line.replace(/^\s*(?:[-*+•]|\d+[.)])\s+/, "").trim())
    .filter(isProse)
    .flatMap((line) => line.split(/(?<=[.!?])\s+|(?<=[。！？])/u))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence.length >= 4 && sentence.length <= maxChars);
}

/** Mostly letters and spaces. */
export const isProse = (line: string): boolean =>
  line !== "" && line.replace(/[^\p{L}\s]/gu, "").length >= line.length * 0.65;

export type UserMessage = { readonly entry: EntryId; readonly text: string };

/** Every user message, oldest first. */
export const listUserMessages = (range: RowRange): UserMessage[] =>
  rangeRows(range)
    .filter(({ entry, wholeChars }) => entry.type === "user" && wholeChars > 0)
    .map(({ entry }) => ({ entry: entry.id, text: textWithPictures(entry) }));

/** Images are only mentioned. */
function textWithPictures(entry: Entry): string {
  if (entry.type !== "user") return "";
  const { content } = entry;
  const pictures = content.filter(({ type }) => type === "image").length;
  return [
    blockText(content).trim(),
    pictures > 0 ? `[with ${pictures} image${pictures > 1 ? "s" : ""}]` : "",
  ]
    .filter((part) => part !== "")
    .join("\n");
}

/** A clipped message needs at least this much room. */
const minChars = 200;

/**
 * The newest messages that fit into `maxChars` together, oldest first. One message takes at most
 * half of the room; a longer one, most likely pasted text, keeps its head and tail.
 */
export function newestMessages(
  words: readonly UserMessage[],
  maxChars: number,
  recalls: boolean,
): UserMessage[] {
  const kept: UserMessage[] = [];
  let left = maxChars;
  for (const { entry, text } of words.toReversed()) {
    const room = Math.min(left, Math.floor(maxChars / 2));
    if (text.length > room && room < minChars) break;
    const where = recalls ? `; full text: recall #${entry}` : "";
    const shown = cutMiddle(text, room, where);
    kept.unshift({ entry, text: shown });
    left -= shown.length;
  }
  return kept;
}

/** Letters and digits only, so that punctuation, case and line breaks do not matter. */
export const normal = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

export type Rule = {
  /** From 1, in the order in which they were said. */
  readonly number: number;
  readonly text: string;
  readonly entry: EntryId;
  /** The instructions file, or null: the user said it. */
  readonly file: string | null;
};

/** Longer messages are pasted documents, whose sentences are not the user's own rules. */
const typedChars = 4_000;

/** A longer sentence explains more than it rules. */
const ruleChars = 300;

const isSessionRule = ({ text, isRule }: Instruction): boolean =>
  isRule && text.length <= ruleChars;

type Found = Omit<Rule, "number">;

/** The rules in force, each once: said or added by the user, or in the current instruction files. */
export function sessionRules(view: View): Rule[] {
  const ended = new Set<string>();
  const added: Found[] = [];
  for (const { entry } of view.rows) {
    if (entry.type !== "rule") continue;
    const key = normal(entry.text);
    if (entry.is !== "added") ended.add(key);
    else {
      ended.delete(key);
      added.push({ text: entry.text, entry: entry.id, file: null });
    }
  }
  const typed = listUserMessages(wholeRange(view)).filter(({ text }) => text.length <= typedChars);
  const said = findInstructions(typed).filter(isSessionRule);
  const inFiles = standingContext(wholeRange(view))
    .filter(({ kind }) => kind === "instructions")
    .flatMap(({ id, title, content }) =>
      findInstructions([{ entry: id, text: blockText(content) }])
        .filter(isSessionRule)
        .map(({ text }): Found => ({ text, entry: id, file: title })),
    );
  const seen = new Set<string>();
  return [...inFiles, ...said.map((rule): Found => ({ ...rule, file: null })), ...added]
    .filter(({ text }) => {
      const key = normal(text);
      if (key === "" || seen.has(key) || ended.has(key)) return false;
      seen.add(key);
      return true;
    })
    .map(({ text, entry, file }, index) => ({ number: index + 1, text, entry, file }));
}

/** How many of the rules a text holds word for word. */
export function countKept(rules: readonly Rule[], text: string): { kept: number; all: number } {
  const held = ` ${normal(text)} `;
  const kept = rules.filter((rule) => held.includes(` ${normal(rule.text)} `)).length;
  return { kept, all: rules.length };
}

/** As an instruction that a summary must not drop. */
export const asInstruction = ({ text, entry }: Rule): Instruction => ({
  text,
  entry,
  standing: true,
  isRule: true,
  isOwn: true,
});
