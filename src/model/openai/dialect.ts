/**
 * A server's deviations from the common chat-completions format. Most are learned during the session from the
 * error messages of refused requests, so no list of hosts has to be maintained.
 */

import type { ModelRequest } from "../../protocol/model.ts";
import { readIdLimit } from "./post.ts";

export type Dialect = {
  /** Field for the maximum answer length; null: not sent. */
  lengthField: "max_tokens" | "max_completion_tokens" | null;
  /** Maximum answer length accepted, in tokens. */
  maxTokens: number | null;
  /** Maximum length of a call id, in characters. */
  idLength: number | null;
  /** Optional fields that are not sent. */
  omitted: Set<string>;
  /** An assistant message must separate a tool result from a user message. */
  separatesUser: boolean;
  /** Schemas use only common keywords. */
  plainSchemas: boolean;
  /** An answer without text has the content "", not null. */
  emptyContent: boolean;
  /** Reasoning is sent back, and an answer with calls must have its field, even if empty. */
  fillsReasoning: boolean;
  /** Extra field required on calls of other models. */
  signsForeignCalls: boolean;
  /** Data signed for another provider or key: reasoning signatures, and call ids that contain them. */
  unreadable: Set<string>;
};

export function dialectOf(hostname: string): Dialect {
  const is = (name: string): boolean => hostname === name || hostname.endsWith(`.${name}`);
  return {
    lengthField: is("openai.com") ? "max_completion_tokens" : "max_tokens",
    maxTokens: null,
    idLength: null,
    omitted: new Set(),
    separatesUser: is("mistral.ai"),
    plainSchemas: is("googleapis.com"),
    emptyContent: false,
    fillsReasoning: false,
    signsForeignCalls: false,
    unreadable: new Set(),
  };
}

/** Learns from a refusal. Returns whether to retry with the changed format. */
export function learn(dialect: Dialect, refusal: string, sent: ModelRequest): boolean {
  const words = refusal.toLowerCase();
  return lessons.some((teach) => teach(dialect, words, sent));
}

type Lesson = (dialect: Dialect, words: string, sent: ModelRequest) => boolean;

const lessons: readonly Lesson[] = [
  function length(dialect, words, { maxTokens }) {
    const field = /max_completion_tokens|max_output_tokens|max_new_tokens|max_tokens/.exec(words);
    if (!field || dialect.lengthField === null) return false;
    const sent = Math.min(maxTokens, dialect.maxTokens ?? Infinity);
    const limits = [...words.matchAll(/(?<![\d.,-])\d[\d,]*(?!\.?\d)/g)]
      .map(([digits]) => Number(digits.replaceAll(",", "")))
      .filter((number) => number >= 256 && number < sent);
    if (limits.length > 0) {
      dialect.maxTokens = Math.max(...limits);
      return true;
    }
    // Both names were refused: let the server choose the length.
    const isNamed = words.includes(dialect.lengthField);
    const other = dialect.lengthField === "max_tokens" ? "max_completion_tokens" : "max_tokens";
    if (!isNamed || dialect.omitted.has(dialect.lengthField)) return false;
    dialect.omitted.add(dialect.lengthField);
    dialect.lengthField = dialect.omitted.has(other) ? null : other;
    return true;
  },
  function optional(dialect, words, { effort }) {
    const named =
      (/stream_options|include_usage/.test(words) && "stream_options") ||
      (effort !== undefined && aboutEffort.test(words) && "reasoning_effort");
    if (!named || dialect.omitted.has(named)) return false;
    dialect.omitted.add(named);
    return true;
  },
  function order(dialect, words) {
    if (dialect.separatesUser || !aboutOrder.test(words)) return false;
    return (dialect.separatesUser = true);
  },
  function summary({ omitted }, words) {
    // OpenAI shows a summary of the reasoning only to organizations that it has verified.
    if (omitted.has("summary") || !/reasoning[. _]summar/.test(words)) return false;
    omitted.add("summary");
    return true;
  },
  function foreign({ unreadable }, words, { messages }) {
    if (!aboutForeign.test(words)) return false;
    const known = unreadable.size;
    for (const block of messages.flatMap(({ content }) => content)) {
      if (block.type === "tool_use" && block.extra) unreadable.add(block.id);
      if (block.type === "thinking") unreadable.add(block.signature);
    }
    return unreadable.size > known;
  },
  function signatures(dialect, words) {
    if (dialect.signsForeignCalls || !/thought_?signature/.test(words)) return false;
    return (dialect.signsForeignCalls = true);
  },
  function reasoning(dialect, words) {
    const isMissing =
      /missing.{0,20}reasoning_content|reasoning_content.{0,60}(?:missing|required|passed back|must be)/;
    if (dialect.fillsReasoning || !isMissing.test(words)) return false;
    return (dialect.fillsReasoning = true);
  },
  function ids(dialect, words) {
    const asked = readIdLimit(words);
    if (asked === null || (dialect.idLength !== null && dialect.idLength <= asked)) return false;
    dialect.idLength = asked;
    return true;
  },
  function kept(dialect, words, { messages }) {
    if (/missing|required|must be (?:passed|sent|provided)|pass(?:ed)? back/.test(words))
      return false;
    const named = ["reasoning_content", ...listExtraFields(messages)].find(
      (field) => words.includes(field.toLowerCase()) && !dialect.omitted.has(field),
    );
    if (named === undefined) return false;
    dialect.omitted.add(named);
    return true;
  },
  function schemas(dialect, words, { tools }) {
    if (dialect.plainSchemas || tools.length === 0 || !aboutSchemas.test(words)) return false;
    return (dialect.plainSchemas = true);
  },
  function content(dialect, words) {
    if (dialect.emptyContent || !aboutContent.test(words)) return false;
    return (dialect.emptyContent = true);
  },
];

/** Reasoning that another provider signed or encrypted. */
const aboutForeign =
  /(?:invalid|corrupt\w*|not valid|could not (?:verify|decrypt)).{0,60}(?:signature|encrypted)|(?:signature|encrypted[ _]content).{0,60}(?:invalid|not valid|corrupt|could not|mismatch|not match)|item with id|of type 'reasoning'/;

const aboutEffort =
  /reasoning[ _.]effort|reasoning level|think(?:ing)? (?:value|level|budget)|not support (?:thinking|reasoning)/;

/** Mistral, and templates of models that demand it. */
const aboutOrder =
  /role ['"`]?user['"`]? after|after role ['"`]?tool|message[_ ]order|roles must alternate|alternat\w+ (?:between )?user|expected last role|after a tool (?:message|result)/;

const aboutSchemas =
  /schema|\$ref|\$defs|exclusive(?:min|max)imum|additional_?properties|function_declarations|unevaluatedproperties|patternproperties|\bconst\b/;

const aboutContent =
  /content.{0,60}(?:null|none\b|valid string|must be a string|required|missing|not be empty)/;

/** Names of fields that servers added to calls, which others may refuse. */
const listExtraFields = (messages: ModelRequest["messages"]): string[] =>
  messages.flatMap(({ content }) =>
    content.flatMap((block) =>
      block.type === "tool_use" && block.extra
        ? Object.values(block.extra).flatMap((fields) => Object.keys(fields))
        : [],
    ),
  );
