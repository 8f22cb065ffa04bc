/** Asks on the terminal whether to trust the files of the opened folder, before there is a session. */

import { systemClock } from "../../base/clock.ts";
import { createInterface } from "node:readline/promises";
import { createElement } from "react";
import type { Settings } from "../../config/settings.ts";
import { Overlay } from "../components/app.tsx";
import type { InputEvent } from "../keys.ts";
import { questionFrame } from "../layout.ts";
import { showControls } from "../sanitize.ts";
import { plainSigns, readAbilities } from "../terminal/abilities.ts";
import { exitCodes, holdTerminal, terminalSize, watchForEnd } from "../terminal/held-terminal.ts";
import { fieldKeys } from "../terminal/field-keys.ts";
import { inkScreen } from "../terminal/ink-screen.tsx";
import { terminalInput } from "../terminal/terminal-input.ts";
import { Painter } from "../terminal/painter.ts";
import { setColorDepth, themeFor } from "../theme.ts";
import { wrapAnywhere, wrapWords } from "../wrap.ts";
import { choiceRows, frameSize, type QuestionView, quietMs } from "./question.ts";

const trustTitle = "Do you trust the files in this folder?";

const trustExplanation = [
  "If you do, they tell the agent what to do and may run programs: instructions (AGENTS.md, CLAUDE.md), git status at startup, project settings, hooks, commands, skills and MCP servers.",
  "If not, none of these are used. The agent can still read and change files here, with your approval as always.",
] as const;

/** auto: trusted, and confined commands run without a question. */
type TrustAnswer = "trusted" | "untrusted" | "auto";

export type TrustSubject = {
  folder: string;
  /** What the project asks for, one line each. */
  asks: readonly string[];
  /** The folder is trusted: only what it asks for is in question. */
  isTrusted: boolean;
  /** Commands can be confined here. */
  offersAuto: boolean;
};

type TrustChoice = { key: string; label: string; answer: TrustAnswer };

const choicesFor = ({ isTrusted, offersAuto }: TrustSubject): TrustChoice[] => [
  { key: "n", label: "No, continue without them", answer: "untrusted" },
  { key: "y", label: isTrusted ? "Yes, approve these" : "Yes, trust them", answer: "trusted" },
  ...(offersAuto ? [autoChoice] : []),
];

const autoChoice: TrustChoice = {
  key: "a",
  label: "Yes, and run commands that are confined and can be undone without asking (auto)",
  answer: "auto",
};

const askedTitle = "This project asks for something new. Do you approve it?";

/** Lines of what it asks for that are shown. */
const maxAsks = 12;

function askLines({ asks }: TrustSubject): string[] {
  const shown = asks.slice(0, maxAsks).map((text) => `- ${text}`);
  const more = asks.length > maxAsks ? [`- and ${asks.length - maxAsks} more`] : [];
  return asks.length === 0 ? [] : ["It asks for:", ...shown, ...more];
}

const explain = (subject: TrustSubject): readonly string[] =>
  subject.isTrusted ? [] : trustExplanation;

const maxWidth = 100;

/** Times are in milliseconds, by any clock. */
export function trustQuestion(subject: TrustSubject, shownMs: number) {
  const choices = choicesFor(subject);
  let at = 0;
  let quietSinceMs = shownMs;
  let isAnswering = false;
  /** Takes answers after a pause: keys meant for the shell must not answer. */
  const tick = (nowMs: number): void => {
    isAnswering ||= nowMs - quietSinceMs >= quietMs;
  };
  return {
    tick,
    /** When keys will answer; null if they do now. */
    get answersAtMs(): number | null {
      return isAnswering ? null : quietSinceMs + quietMs;
    },
    /** Returns null until there is an answer. */
    press(event: InputEvent, nowMs: number): TrustAnswer | null {
      tick(nowMs);
      if (!isAnswering) {
        quietSinceMs = nowMs;
        return null;
      }
      if (event.type !== "key") return null;
      const { chord } = event;
      if (chord === "up" || chord === "down")
        at = Math.max(0, Math.min(choices.length - 1, at + (chord === "up" ? -1 : 1)));
      if (chord === "escape") return "untrusted";
      if (chord === "enter") return choices[at]?.answer ?? null;
      return choices.find(({ key }) => key === chord)?.answer ?? null;
    },
    /** At most `rows` rows, always including the choices. */
    view(columns: number, rows: number): QuestionView {
      const outer = Math.min(columns, maxWidth);
      const width = Math.max(1, outer - frameSize.columns);
      const about = explain(subject).flatMap((text) => ["", ...wrapWords(text, width)]);
      const line = (text: string): string => showControls(text).replaceAll("\n", "⏎");
      const asks = askLines(subject).flatMap((text) => wrapAnywhere(line(text), width));
      if (asks.length > 0) about.push("", ...asks);
      const name = line(subject.folder);
      const text = [...wrapAnywhere(name, width), ...about, ""];
      const answers = choiceRows(choices, at, isAnswering, width);
      const room = Math.max(0, rows - frameSize.rows - answers.length);
      return {
        kind: "question",
        title: subject.isTrusted ? askedTitle : trustTitle,
        columns: outer,
        detail: text.slice(0, room),
        notes: [],
        answer: { kind: "choices", rows: answers, isWaiting: !isAnswering, hint: null },
      };
    },
  };
}

/** An exit code when the user leaves instead, or the terminal is gone. */
export type TrustResult = TrustAnswer | number;

export async function askTrust(subject: TrustSubject, settings: Settings): Promise<TrustResult> {
  const { movesCursor } = readAbilities(process.env);
  const inLines = settings.screenReader || !movesCursor;
  return inLines ? askInLines(subject) : askOnScreen(subject, settings);
}

async function askOnScreen(subject: TrustSubject, settings: Settings): Promise<TrustResult> {
  const { stdin, stdout } = process;
  const { colors, characters } = readAbilities(process.env);
  setColorDepth(colors);
  const theme = themeFor(settings.theme, process.env, colors);
  const question = trustQuestion(subject, systemClock.now());
  const done = Promise.withResolvers<TrustResult>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const draw = (): void => {
    const { columns, rows } = terminalSize();
    ink.publish(questionFrame(question.view(columns, rows), theme, columns, rows), {
      columns,
      rows,
    });
    clearTimeout(timer);
    const { answersAtMs } = question;
    if (answersAtMs !== null)
      timer = setTimeout(wake, Math.max(1, answersAtMs - systemClock.now()));
  };
  const wake = (): void => {
    question.tick(systemClock.now());
    draw();
  };
  const take = (event: InputEvent): void => {
    if (event.type === "key" && event.chord === "ctrl+c")
      return done.resolve(exitCodes.interrupted);
    if (event.type === "key" && event.chord === "ctrl+d") return done.resolve(0);
    const answer = question.press(event, systemClock.now());
    if (answer === null) draw();
    else done.resolve(answer);
  };
  const stopWatching = watchForEnd({ end: done.resolve });
  const write = (code: string): void => void stdout.write(code);
  const input = terminalInput({
    stdin,
    write,
    take: (events) => events.forEach(take),
    focus: () => undefined,
    ended: () => done.resolve(exitCodes.hungUp),
  });
  const redraw = (): void => {
    painter.forget();
    draw();
  };
  process.on("SIGWINCH", redraw);
  const terminal = holdTerminal({ write, setRawMode: input.setRawMode });
  input.setReports(true);
  const painter = new Painter(write);
  const ink = inkScreen({
    keys: fieldKeys(),
    present: (lines) =>
      void painter.paint(
        { rows: lines.map((row) => plainSigns(row, characters)), scrolling: 0, cursor: null },
        terminalSize().columns,
      ),
    write,
    crash: done.reject,
    screen: createElement(Overlay),
  });
  draw();
  try {
    return await done.promise;
  } finally {
    clearTimeout(timer);
    process.off("SIGWINCH", redraw);
    input.setReports(false);
    ink.unmount();
    terminal.release();
    input.stop();
    stopWatching(false);
  }
}

/** For screen readers: lines on the normal screen. */
async function askInLines(subject: TrustSubject): Promise<TrustResult> {
  const reader = createInterface({ input: process.stdin, output: process.stdout });
  const lines = [subject.folder, ...explain(subject), ...askLines(subject)].map(showControls);
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
