/**
 * The questions that a running session waits with, in a file beside its log, so that the user can answer
 * them from another terminal. An answer is a file that names its question: whoever removes that file
 * decides, the session by taking it or the other terminal by giving up, so none is lost or used twice.
 */

import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { attempt, errorCode, parseJson } from "../base/guards.ts";
import { once } from "../base/once.ts";
import type { Answer, AgentCommand } from "../protocol/command.ts";
import type { AgentEvent, Ask } from "../protocol/event.ts";
import type { FormField } from "../protocol/form.ts";
import { findHolder } from "./lock.ts";
import { LogError, logError } from "./log-error.ts";

/** `id`: new for every question, and not of the model's making. */
export type WaitingQuestion = { id: string; ask: Ask };

const listFile = (log: string): string => `${log}.asks`;
const answerFile = (log: string, id: string): string => `${log}.answer-${id}`;

const pollMs = 100;

/** Passes events on, and has the questions among them answered from other terminals, too. */
export async function* answeredFromElsewhere(
  events: AsyncGenerator<AgentEvent, void>,
  log: string,
  send: (command: AgentCommand) => void,
): AsyncGenerator<AgentEvent, void> {
  let waiting: WaitingQuestion[] = [];
  const publish = (): void => {
    if (waiting.length === 0) rmSync(listFile(log), { force: true });
    else writePrivately(listFile(log), { pid: process.pid, waiting });
  };
  const withdraw = (isGone: (question: WaitingQuestion) => boolean): void => {
    if (!waiting.some(isGone)) return;
    waiting = waiting.filter((question) => !isGone(question));
    // Where nothing can be written, it is answered here.
    attempt(publish, undefined);
  };
  const takeAnswers = (): void => {
    for (const { id, ask } of waiting) {
      const answer = takeAnswer(answerFile(log, id));
      if (!answer) continue;
      withdraw((question) => question.id === id);
      send(toCommand(ask, answer));
    }
    poll();
  };
  let timer: NodeJS.Timeout | undefined;
  /** Only while something waits: an idle program does not wake up. */
  const poll = (): void => {
    clearTimeout(timer);
    if (waiting.length > 0) timer = setTimeout(takeAnswers, pollMs).unref();
  };
  const wait = (ask: Ask): void => {
    waiting = [...waiting, { id: randomBytes(3).toString("hex"), ask }];
    attempt(publish, undefined);
    poll();
  };
  // A session that was killed left its questions.
  attempt(publish, undefined);
  attempt(() => removeLeft(log), undefined);
  try {
    for await (const event of events) {
      if (event.type === "ask") wait(event.ask);
      if (event.type === "asked") withdraw(({ ask }) => ask.id === event.id);
      if (event.type === "compaction") {
        withdraw(({ ask }) => ask.tool === review);
        if (event.state.step === "review") wait(reviewAsk(event.state));
      }
      yield event;
    }
  } finally {
    withdraw(() => true);
    clearTimeout(timer);
  }
}

/** Stands for the tool in a question about a summary. */
const review = "summary";
const accepted = "Use this summary";

const reviewAsk = ({ id, text }: { id: string; text: string }): Ask => ({
  id,
  toolUse: "",
  tool: review,
  title: "Review the summary",
  detail: text,
  detailKind: "text",
  rule: null,
  poll: {
    options: [{ label: accepted }, { label: "Discard it and keep everything" }],
    takesSeveral: false,
    editable: text,
  },
});

function toCommand({ id, tool, detail }: Ask, answer: Answer): AgentCommand {
  if (tool !== review) return { type: "answer", id, answer };
  const { answer: words, text = detail } = (answer.allow && answer.input) || {};
  return { type: "review", id, text: words === accepted ? String(text) : null };
}

/** Age in milliseconds at which no terminal waits for its answer to be taken. */
const abandonedMs = 60_000;

/** Removes answers, and parts of files, whose terminals were killed while they wrote them. */
function removeLeft(log: string): void {
  for (const file of questionFiles(log))
    if (Date.now() - statSync(file).mtimeMs > abandonedMs) rmSync(file, { force: true });
}

/** All files of questions and answers beside a log. */
export function questionFiles(log: string): string[] {
  const starts = [listFile(log), answerFile(log, "")].map((file) => basename(file));
  return readdirSync(dirname(log))
    .filter((name) => starts.some((start) => name.startsWith(start)))
    .map((name) => join(dirname(log), name));
}

/** The questions that wait in a running session; none when another process left them behind. */
export function waitingQuestions(log: string): WaitingQuestion[] {
  const text = readPrivately(listFile(log));
  const read = text === null ? undefined : listSchema().safeParse(parseJson(text)).data;
  return read && findHolder(log)?.pid === read.pid ? read.waiting : [];
}

/** Polls after which a session that takes no answer is given up. */
const maxPolls = 100;

/**
 * Answers a question of a running session. Resolves when the session has taken the answer. Throws
 * `LogError` with a sentence when the question does not wait any more.
 */
export async function answerWaiting(log: string, id: string, answer: Answer): Promise<void> {
  const waits = (): boolean => waitingQuestions(log).some((question) => question.id === id);
  const gone = new LogError(`The question ${id} is no longer open: it was answered or withdrawn.`);
  if (!waits()) throw gone;
  const file = answerFile(log, id);
  try {
    // A link, unlike a new name, does not replace the answer of a third terminal.
    writePrivately(file, answer, linkSync);
  } catch (error) {
    if (errorCode(error) !== "EEXIST")
      throw logError(`The question ${id} cannot be answered`, error);
    throw new LogError(`The question ${id} is being answered in another terminal.`);
  }
  for (let poll = 0; poll < maxPolls; poll++) {
    if (!existsSync(file)) return;
    if (!waits()) break;
    await Bun.sleep(pollMs);
  }
  if (!attempt(() => (unlinkSync(file), true), false)) return;
  throw waits() ? new LogError("The session does not react; its question still waits.") : gone;
}

function takeAnswer(file: string): Answer | null {
  if (!existsSync(file)) return null;
  const answer = answerSchema().safeParse(parseJson(readPrivately(file) ?? "")).data ?? null;
  return attempt(() => (unlinkSync(file), answer), null);
}

/** A file appears with its content. */
function writePrivately(file: string, value: object, name = renameSync): void {
  const part = `${file}.${randomBytes(4).toString("hex")}`;
  try {
    writeFileSync(part, JSON.stringify(value), { mode: 0o600, flag: "wx" });
    name(part, file);
  } finally {
    rmSync(part, { force: true });
  }
}

const maxBytes = 16 * 1024 * 1024;

/** The text of a regular file that is the user's own and nobody else can reach; null otherwise. */
function readPrivately(file: string): string | null {
  return attempt(() => {
    const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stat = fstatSync(fd);
      const isOwn = stat.uid === (process.getuid?.() ?? stat.uid);
      const isPrivate = process.platform === "win32" || (stat.mode & 0o077) === 0;
      if (!stat.isFile() || !isOwn || !isPrivate || stat.size > maxBytes) return null;
      return readFileSync(fd, "utf8");
    } finally {
      closeSync(fd);
    }
  }, null);
}

const values = once(() => z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])));

const answerSchema = once((): z.ZodType<Answer> =>
  z.discriminatedUnion("allow", [
    z.object({
      allow: z.literal(true),
      scope: z.enum(["once", "session", "always"]),
      input: values().exactOptional(),
    }),
    z.object({ allow: z.literal(false), reason: z.string().exactOptional() }),
  ]),
);

const listSchema = once(() => {
  const field = { name: z.string(), label: z.string(), isRequired: z.boolean() };
  const option = z.object({ value: z.string(), label: z.string() });
  const fieldSchema: z.ZodType<FormField> = z.discriminatedUnion("kind", [
    z.object({ ...field, kind: z.literal("text") }),
    z.object({ ...field, kind: z.literal("number"), isInteger: z.boolean() }),
    z.object({ ...field, kind: z.literal("yes-no") }),
    z.object({ ...field, kind: z.literal("choice"), options: z.array(option) }),
  ]);

  // The question as another terminal shows it; the input stays where it is used.
  const askSchema: z.ZodType<Ask> = z.object({
    id: z.string(),
    toolUse: z.string(),
    tool: z.string(),
    title: z.string(),
    detail: z.string(),
    detailKind: z.enum(["command", "diff", "text"]),
    warning: z.string().optional(),
    access: z.string().optional(),
    description: z.string().optional(),
    edits: z.string().exactOptional(),
    rule: z.string().nullable(),
    always: z.object({ rule: z.string(), file: z.string() }).optional(),
    form: z.object({ fields: z.array(fieldSchema), defaults: values() }).exactOptional(),
    poll: z
      .object({
        options: z.array(z.object({ label: z.string(), description: z.string().exactOptional() })),
        takesSeveral: z.boolean(),
        editable: z.string().exactOptional(),
      })
      .exactOptional(),
  });

  return z.object({
    pid: z.number(),
    waiting: z.array(z.object({ id: z.string().regex(/^[0-9a-f]{6}$/), ask: askSchema })),
  });
});
