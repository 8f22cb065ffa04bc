/** Answers the questions of a session that runs in another terminal. */

import { readFileSync } from "node:fs";
import { UsageError } from "../../config/usage-error.ts";
import { counted, errorMessage } from "../../base/in-words.ts";
import { showCode, control, invisible } from "../../base/to-terminal.ts";
import type { SessionInfo } from "../../log/catalog.ts";
import { answerWaiting, type WaitingQuestion, waitingQuestions } from "../../log/questions.ts";
import type { Answer } from "../../protocol/command.ts";
import type { Ask, Poll } from "../../protocol/event.ts";
import { findValue, type FormValues, listMissing } from "../../protocol/form.ts";

type AnswerFlags = { decline: boolean; plan?: string | undefined };

/**
 * Lists what a session waits with, or answers the question that is named. Returns the text to print.
 * Throws `UsageError` for an answer that does not fit, `LogError` when the question waits no more.
 */
export async function answerSession(
  { session, file }: SessionInfo,
  [name, ...words]: readonly string[],
  flags: AnswerFlags,
): Promise<string> {
  const waiting = waitingQuestions(file);
  if (name === undefined)
    return (
      waiting.map((question) => describeQuestion(question, session)).join("\n") ||
      `The session ${session} has no open question.\n`
    );
  const question = waiting.find(({ id }) => id === name);
  // A question that is gone is refused there, in the same words as one that is answered in between.
  const answer = question ? toAnswer(question.ask, words, flags) : ({ allow: false } as const);
  await answerWaiting(file, name, answer);
  return `Answered: ${question?.ask.title ?? name}\n`;
}

function describeQuestion({ id, ask }: WaitingQuestion, session: string): string {
  const { title, detail, warning, access, description } = ask;
  const notes = [
    ...(warning === undefined ? [] : [`Warning: ${warning}`]),
    ...(access === undefined ? [] : [access]),
    ...(description === undefined ? [] : [`The agent says: ${description}`]),
  ];
  const command = `mini-claude sessions answer ${session} ${id}`;
  const answers = listAnswers(ask).map(([words, meaning]) => `  ${words.padEnd(24)} ${meaning}`);
  const about = [title, ...(detail === "" ? [] : [detail.trimEnd()]), ...notes].map(showHidden);
  return [...about, `${command} ANSWER, which is one of:`, ...answers.map(showHidden), ""].join(
    "\n",
  );
}

/** Shows control characters instead of leaving them out, so that nothing is approved unseen. */
const showHidden = (text: string): string =>
  text.replaceAll("\r\n", "\n").replace(control, showCode).replace(invisible, showCode);

/** Possible answers, and their meaning. */
function listAnswers({ rule, always, poll, form }: Ask): [words: string, meaning: string][] {
  const list: [words: string, meaning: string][] = [];
  if (form) {
    for (const { name, label, isRequired } of form.fields)
      list.push([`${name}=VALUE`, isRequired ? `${label}, required` : label]);
    list.push(["--decline", "do not fill it in"]);
  } else if (poll) {
    for (const [at, { label, description }] of poll.options.entries())
      list.push([String(at + 1), description === undefined ? label : `${label}: ${description}`]);
    if (poll.takesSeveral) list.push(["1,2", "several of them"]);
    list.push(["WORDS", "in your own words"]);
    if (poll.editable !== undefined)
      list.push(["1 --plan FILE", "with the text in FILE, as you changed it"]);
    list.push(["--decline", "do not answer"]);
  } else {
    list.push(["yes", "allow once"]);
    if (rule !== null) list.push(["session", `allow for the session: ${rule}`]);
    if (always) list.push(["always", `allow always: adds ${always.rule} to ${always.file}`]);
    list.push(["no [REASON]", "deny, and tell the agent why"]);
  }
  return list;
}

function toAnswer(ask: Ask, words: readonly string[], { decline, plan }: AnswerFlags): Answer {
  if (decline) return { allow: false };
  if (plan !== undefined && ask.poll?.editable === undefined)
    throw new UsageError("--plan is for a question about a plan or a summary.");
  const text = words.join(" ").trim();
  if (ask.form) return { allow: true, scope: "once", input: fillIn(ask.form, words) };
  if (text === "") throw new UsageError("The answer is missing.");
  if (ask.poll) {
    const input = { answer: choose(ask.poll, text), ...(plan !== undefined && readPlan(plan)) };
    return { allow: true, scope: "once", input };
  }
  const [first = "", ...reason] = words;
  if (/^no?$/i.test(first))
    return { allow: false, ...(reason.length > 0 && { reason: reason.join(" ") }) };
  if (/^y(?:es)?$/i.test(text)) return { allow: true, scope: "once" };
  if (text === "session" && ask.rule !== null) return { allow: true, scope: "session" };
  if (text === "always" && ask.always) return { allow: true, scope: "always" };
  const known = listAnswers(ask).map(([answer]) => answer);
  throw new UsageError(`The answer must be one of: ${known.join(", ")}.`);
}

/** Numbers of options stand for their labels; other words are the answer. */
function choose({ options, takesSeveral }: Poll, text: string): string {
  if (!(takesSeveral ? /^\d+(?:[\s,]+\d+)*$/ : /^\d+$/).test(text)) return text;
  return text
    .split(/[\s,]+/)
    .map((number) => {
      const option = options[Number(number) - 1];
      if (!option)
        throw new UsageError(`There are ${counted(options.length, "option")}, no ${number}.`);
      return option.label;
    })
    .join(", ");
}

function readPlan(file: string): { text: string } {
  try {
    return { text: readFileSync(file, "utf8") };
  } catch (error) {
    throw new UsageError(`The text cannot be read: ${errorMessage(error)}`);
  }
}

function fillIn({ fields, defaults }: NonNullable<Ask["form"]>, words: readonly string[]) {
  const values: FormValues = { ...defaults };
  for (const word of words) {
    const [name = "", ...rest] = word.split("=");
    const field = fields.find((known) => known.name === name);
    const value = field && rest.length > 0 ? findValue(field, rest.join("=")) : null;
    if (value === null) throw new UsageError(`${word} is no value for a field of this form.`);
    values[name] = value;
  }
  const missing = listMissing(fields, values).map(({ name }) => name);
  if (missing.length > 0) throw new UsageError(`Missing: ${missing.join(", ")}.`);
  return values;
}
