/** The agent on a terminal that cannot move its cursor: lines, and an input line. */

import { systemClock } from "../../base/clock.ts";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import type { Command } from "../../protocol/command.ts";
import { errorOf } from "../../base/guards.ts";
import { messageOf } from "../../base/in-words.ts";
import type { Todo } from "../../protocol/todo.ts";
import { commands } from "../commands.ts";
import { sanitize, sanitizeLine } from "../sanitize.ts";
import { screenStore, type Store } from "../store.ts";
import { submit, type SubmitHost } from "../submit.ts";
import { exitCodes, watchForEnd } from "../terminal/ending.ts";
import { showTokens } from "../transcript/format.ts";
import type { Panel, ScreenOptions, ScreenResult } from "../types.ts";
import { userCommands } from "../user-commands.ts";
import { greet, narrate } from "./narrate.ts";

/** Runs until the user quits or the terminal is gone. */
export async function runLines(options: ScreenOptions): Promise<ScreenResult> {
  const { events, send } = options;
  const store = screenStore(options);
  store.complete();
  const ended = Promise.withResolvers<Pick<ScreenResult, "code" | "next">>();
  const { stdin, stdout } = process;
  const reader = createInterface({ input: keysOf(stdin), output: stdout, terminal: true });
  let isBusy = false;
  let isPrompted = false;
  const prompt = (): void => {
    isPrompted = true;
    reader.prompt(true);
  };
  const say = (...lines: readonly string[]): void => {
    if (lines.length === 0) return;
    // A half-typed line is repeated below.
    if (isPrompted) stdout.write(reader.line === "" ? "\r\x1b[K" : "\n");
    for (const line of lines) stdout.write(`${line}\n`);
    if (isPrompted) prompt();
  };
  const leave = (code: number, next: ScreenResult["next"] = null): void =>
    ended.resolve({ code, next });

  const showPanel = (panel: Panel | null): void => {
    if (panel === null) return;
    if (panel.kind === "help")
      say(
        "Commands:",
        ...commands.map(({ name, help }) => `/${name}: ${help}`),
        "A line that begins with ! runs in the shell. Control C stops the agent, Control D quits.",
      );
    else if (panel.kind === "context") say(contextInWords(store));
    else if (panel.kind === "compact") {
      const focus = panel.focus.trim();
      const wanted = focus === "" ? {} : { focus };
      send({ type: "compact", how: "summarize", trigger: "command", ...wanted });
    } else if (panel.kind === "todo")
      say(...store.getState().todos.map(todoInWords), "End of the todo list.");
    else say(`/${panel.kind} needs a terminal that can move its cursor.`);
  };

  const fileCommands = userCommands(options.services, commands);
  const run = (text: string): void => {
    const host: SubmitHost = {
      state: store.getState(),
      view: store.view,
      reading: store.reading,
      rules: store.rules,
      options,
      nowMs: store.nowMs,
      send,
      dispatch(action) {
        if (action.type === "panel") showPanel(action.panel);
        else store.dispatch(action);
      },
      flash: (message) => say(sanitizeLine(message)),
      report: (error) => say(sanitizeLine(messageOf(error))),
      setPrompt: (draft) => say(`You wrote: ${sanitize(draft)}`),
      chooseTheme: () => say("Themes need the full screen."),
      toggleVim: () => false,
      typeInto: () => false,
      copy: () => say("Copying needs the full screen."),
      suspend: (work) => work(),
      open: (next) =>
        isBusy ? say("The agent is working. Press Control C to stop it first.") : leave(0, next),
      exit: () => leave(0),
      userCommands: fileCommands,
    };
    submit(host, text, []);
  };

  reader.on("line", (line) => {
    isPrompted = false;
    const text = line.trim();
    const given = answerTo(store, text);
    if (given === "again") say("Type y, a, or n.");
    else if (given) send(given);
    else if (text !== "") run(text);
    if (!isBusy) prompt();
  });
  let stopped = 0;
  reader.on("SIGINT", () => {
    if (!isBusy && systemClock.now() - stopped < 2_000) return leave(0);
    stopped = systemClock.now();
    if (isBusy) send({ type: "stop" });
    else say("Press Control C again to quit.");
  });
  reader.on("close", () => leave(0));
  stdin.on("error", () => leave(exitCodes.hungUp));
  const crash = (error: unknown): void => ended.reject(errorOf(error));
  const stopWatching = watchForEnd({ end: leave, crash });

  void (async () => {
    for await (const event of events) {
      store.take(event);
      isBusy = store.getState().phase !== "idle";
      if (isBusy && reader.line === "" && isPrompted) {
        stdout.write("\r\x1b[K");
        isPrompted = false;
      }
      // What the user typed is on the screen already.
      if (event.type !== "entry" || event.entry.type !== "user") say(...narrate(event));
      if (event.type === "idle") prompt();
    }
  })().catch(crash);

  reader.setPrompt("You: ");
  say(...greet(store.getState().path, options.notices));
  if (options.firstPrompt !== undefined) run(options.firstPrompt);
  prompt();
  try {
    const { code, next } = await ended.promise;
    return { closingLines: [], code, next };
  } finally {
    reader.close();
    stdin.unpipe();
    stdin.pause();
    stopWatching(true);
  }
}

/** Typed input. A terminal that is gone cannot leave raw mode, which is not an error. */
function keysOf(stdin: NodeJS.ReadStream): NodeJS.ReadableStream {
  const keys = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode(on: boolean) {
      try {
        stdin.setRawMode(on);
      } catch {
        keys.end();
      }
    },
  });
  return stdin.pipe(keys);
}

/** What a line means while the agent asks; null: it is not asking. */
function answerTo(store: Store, text: string): Command | "again" | null {
  const { asks, compaction } = store.getState();
  const word = text.toLowerCase();
  if (compaction?.step === "review") {
    if (!/^[yn]/.test(word)) return "again";
    const summary = word.startsWith("y") ? compaction.text : null;
    return { type: "review", id: compaction.id, text: summary };
  }
  const ask = asks[0];
  if (!ask) return null;
  const { id, form, poll } = ask;
  if (poll && !/^no?$/.test(word)) {
    const answer = poll.options[Number(text) - 1]?.label ?? text;
    return { type: "answer", id, answer: { allow: true, scope: "once", input: { answer } } };
  }
  if (/^y(es)?$/.test(word)) {
    const input = form && { input: { ...form.defaults } };
    return { type: "answer", id, answer: { allow: true, scope: "once", ...input } };
  }
  if (!form && /^a(lways)?$/.test(word))
    return { type: "answer", id, answer: { allow: true, scope: "session" } };
  const no = /^no?(?:[\s,:]+([\s\S]*))?$/i.exec(text);
  if (!no) return "again";
  return { type: "answer", id, answer: { allow: false, ...(no[1] ? { reason: no[1] } : {}) } };
}

const todoInWords = ({ content, status }: Todo): string =>
  `${status.replace("_", " ")}: ${sanitizeLine(content)}`;

function contextInWords(store: Store): string {
  const { usedTokens, windowTokens } = store.reading;
  const share = Math.round((usedTokens / windowTokens) * 100);
  return `Context: ${showTokens(usedTokens)} of ${showTokens(windowTokens)} tokens, ${share} percent.`;
}
