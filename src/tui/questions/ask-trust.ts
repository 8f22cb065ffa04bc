/** Asks the trust question on the terminal, before there is a session. */

import { systemClock } from "../../protocol/clock.ts";
import { createInterface } from "node:readline/promises";
import type { Settings } from "../../config/settings.ts";
import type { InputEvent } from "../keys.ts";
import { showControls } from "../sanitize.ts";
import { abilitiesOf } from "../terminal/abilities.ts";
import { exitCodes, watchForEnd } from "../terminal/ending.ts";
import { holdTerminal } from "../terminal/held-terminal.ts";
import { plainSigns } from "../terminal/plain-signs.ts";
import { terminalInput } from "../terminal/terminal-input.ts";
import { themeFor } from "../theme.ts";
import { TrustQuestion, trustExplanation, trustTitle, type TrustAnswer } from "./trust-question.ts";

/** An exit code when the user leaves instead, or the terminal is gone. */
export type TrustResult = TrustAnswer | number;

export async function askTrust(folder: string, settings: Settings): Promise<TrustResult> {
  const { movesCursor } = abilitiesOf(process.env);
  return settings.screenReader || !movesCursor ? askInLines(folder) : askOnScreen(folder, settings);
}

async function askOnScreen(folder: string, settings: Settings): Promise<TrustResult> {
  const { stdin, stdout } = process;
  const { colors, characters } = abilitiesOf(process.env);
  const theme = themeFor(settings.theme, process.env, colors);
  const question = new TrustQuestion(folder, theme, systemClock.now());
  const done = Promise.withResolvers<TrustResult>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const draw = (): void => {
    const drawn = question.draw(stdout.columns, stdout.rows);
    const lines = drawn.map((line) => plainSigns(line, characters));
    stdout.write(`\x1b[H\x1b[2J${lines.join("\r\n")}`);
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
  process.on("SIGWINCH", draw);
  const terminal = holdTerminal({ write, setRawMode: input.setRawMode });
  input.setReports(true);
  draw();
  try {
    return await done.promise;
  } finally {
    clearTimeout(timer);
    process.off("SIGWINCH", draw);
    input.setReports(false);
    terminal.release();
    input.stop();
    stopWatching(false);
  }
}

/** For screen readers: lines on the normal screen. */
async function askInLines(folder: string): Promise<TrustResult> {
  const reader = createInterface({ input: process.stdin, output: process.stdout });
  const text = [trustTitle, showControls(folder), ...trustExplanation].join("\n");
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
