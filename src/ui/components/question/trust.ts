/** Asks on the terminal whether to trust the files of the opened folder, before there is a session. */

import { systemClock } from "../../../base/clock.ts";
import { createInterface } from "node:readline/promises";
import { createElement, type ReactNode } from "react";
import type { Settings } from "../../../config/settings.ts";
import { QuestionAlone } from "./question.tsx";
import { type InputEvent, toChord } from "../../keys.ts";
import { showInLine } from "../../sanitize.ts";
import { readAbilities } from "../../terminal/abilities.ts";
import { exitCodes } from "../../terminal/held-terminal.ts";
import { inkScreen } from "../../terminal/ink-screen.tsx";
import { earlyInputRead } from "../../terminal/terminal-input.ts";
import type { Theme } from "../../theme.ts";
import { takeTerminal } from "../../take-terminal.ts";
import { wrapAnywhere, wrapWords } from "../../painted-text.ts";
import { type Choice, choiceQuestion, type Question } from "./question-model.ts";

const trustTitle = "mini-claude · Do you trust the files in this folder?";

const trustExplanation = [
  "If you trust them, project files can instruct the agent and run programs: instructions (AGENTS.md, CLAUDE.md), git status at startup, project settings, hooks, commands, skills and MCP servers.",
  "If not, none of these are used. The agent can still read and change files here, with your approval as always.",
] as const;

const autoLabel = "Yes, and run sandboxed, undoable commands without asking (auto)";

/** auto: trusted, and confined commands run without a question. */
type TrustAnswer = "trusted" | "untrusted" | "auto";

type TrustSubject = {
  folder: string;
  /** The project's requests, one line each. */
  asks: readonly string[];
  /** The folder is already trusted; only its new requests need an answer. */
  isTrusted: boolean;
  /** Commands can be confined here. */
  offersAuto: boolean;
};

const askedTitle = "This project asks for something new. Do you approve it?";

/** Never shortened: the user must see everything that is approved. */
const askLines = ({ asks }: TrustSubject): string[] =>
  asks.length === 0 ? [] : ["It asks for:", ...asks.map((text) => `- ${text}`)];

const explain = (subject: TrustSubject): readonly string[] =>
  subject.isTrusted ? [] : trustExplanation;

const maxWidth = 100;

/** Clock for the pause before keys answer, so that keys meant for the shell do not. */
function trustQuestion(
  subject: TrustSubject,
  now: () => number,
  answer: (answer: TrustAnswer) => void,
): Question {
  const store = {
    get nowMs() {
      return now();
    },
  };
  const approve = (key: string, label: string, given: TrustAnswer): Choice => ({
    key,
    label,
    needsAll: subject.asks.length > 0,
    take: () => answer(given),
  });
  return choiceQuestion(
    { store, actions: { notify: () => undefined } },
    {
      title: subject.isTrusted ? askedTitle : trustTitle,
      detail(width) {
        const asks = askLines(subject).flatMap((text) => wrapAnywhere(showInLine(text), width));
        return [
          ...wrapAnywhere(showInLine(subject.folder), width),
          ...explain(subject).flatMap((text) => ["", ...wrapWords(text, width)]),
          ...(asks.length === 0 ? [] : ["", ...asks]),
        ];
      },
      notes: () => [],
      choices: [
        { key: "n", label: "No, continue without them", take: () => answer("untrusted") },
        approve("y", subject.isTrusted ? "Yes, approve these" : "Yes, trust them", "trusted"),
        ...(subject.offersAuto ? [approve("a", autoLabel, "auto")] : []),
      ],
      onEscape: () => answer("untrusted"),
      hasNoPrompt: true,
    },
    false,
  );
}

/** The question alone, without a screen around it. */
function drawAlone(question: Question, theme: Theme, size: Size): ReactNode {
  const view = question.view(Math.min(size.columns, maxWidth), size.rows);
  const look = { theme, columns: size.columns };
  return createElement(QuestionAlone, { view, look, rows: size.rows });
}

type Size = { columns: number; rows: number };

/** A number is an exit code: the user left, or the terminal is gone. */
type TrustResult = TrustAnswer | number;

export async function askTrust(subject: TrustSubject, settings: Settings): Promise<TrustResult> {
  const { movesCursor } = readAbilities(process.env);
  const inLines = settings.screenReader || !movesCursor;
  return inLines ? askInLines(subject) : askOnScreen(subject, settings);
}

async function askOnScreen(subject: TrustSubject, settings: Settings): Promise<TrustResult> {
  const done = Promise.withResolvers<TrustResult>();
  const question = trustQuestion(subject, systemClock.now, done.resolve);
  let content: ReactNode = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const take = (event: InputEvent): void => {
    const chord = toChord(event);
    if (chord === "ctrl+c") done.resolve(exitCodes.interrupted);
    else if (chord === "ctrl+d") done.resolve(0);
    else void question.press(event);
  };
  await using terminal = takeTerminal({
    settings,
    openInk: (output) => inkScreen({ ...output, content: () => content }),
    layout(size) {
      content = drawAlone(question, terminal.theme, size);
      clearTimeout(timer);
      const { answersAtMs } = question;
      if (answersAtMs !== null)
        timer = setTimeout(terminal.draw, Math.max(1, answersAtMs - systemClock.now()));
      return {};
    },
    take(events) {
      events.forEach(take);
      terminal.draw();
    },
    leave: done.resolve,
    crash: done.reject,
  });
  try {
    // The pause starts now; mounting Ink can take longer than the pause itself.
    await earlyInputRead();
    terminal.draw();
    return await done.promise;
  } finally {
    clearTimeout(timer);
  }
}

/** For screen readers: lines on the normal screen. */
async function askInLines(subject: TrustSubject): Promise<TrustResult> {
  const reader = createInterface({ input: process.stdin, output: process.stdout });
  const lines = [subject.folder, ...explain(subject), ...askLines(subject)].map(showInLine);
  const text = [subject.isTrusted ? askedTitle : trustTitle, ...lines].join("\n");
  const left = new Promise<number>((resolve) => {
    reader.on("close", () => resolve(exitCodes.interrupted));
    reader.on("SIGINT", () => resolve(exitCodes.interrupted));
  });
  const asked = reader.question(`${text}\nType yes to trust them; anything else means no: `);
  try {
    const answer = await Promise.race([asked, left]);
    if (typeof answer === "number") return answer;
    return /^\s*y(es)?\s*$/i.test(answer) ? "trusted" : "untrusted";
  } finally {
    reader.close();
  }
}
