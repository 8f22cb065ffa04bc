/**
 * Narrates events for screen-reader users: every line is complete, says who speaks, and never
 * changes. No symbols, no boxes, no running numbers.
 */

import { counted } from "../../base/format.ts";
import { blockText } from "../../protocol/block.ts";
import type { Entry, EntryOf } from "../../protocol/entry.ts";
import type { AgentEvent, Ask } from "../../protocol/event.ts";
import { sanitize, sanitizeLine, showControls } from "../sanitize.ts";
import { atMost } from "../painted-text.ts";
import { badges } from "../../context/describe-cut.ts";
import { callTitle, showTokens, showUsd, typedText } from "../transcript/format.ts";
import { type InputEvent, press, typed } from "../keys.ts";
import type { Screen } from "../screen.ts";

const maxLines = 12;

const maxPast = 6;

/** Opening lines: the end of a resumed conversation, and a prompt for input. */
export const greet = (path: readonly Entry[], notices: readonly string[]): string[] => [
  ...path.slice(-maxPast).flatMap(narrateEntry),
  ...notices.map(sanitizeLine),
  "mini-claude is ready. Type a message, or /help.",
];

/** Empty for events without spoken output. */
export function narrate(event: AgentEvent): string[] {
  switch (event.type) {
    case "entry":
      return narrateEntry(event.entry);
    case "ask":
      return sayAsk(event.ask);
    case "retry":
      return [
        `Retry ${event.attempt} of ${event.of} in ${Math.ceil(event.waitMs / 1000)} seconds: ${sanitizeLine(event.reason)}`,
      ];
    case "mode":
      return [`Permission mode: ${event.mode}.`];
    case "queue":
      return event.waiting.length === 0 ? [] : [`Queued messages: ${event.waiting.length}.`];
    case "unsent":
      return event.messages.map((message) => `Not sent: ${sanitizeLine(message)}`);
    case "compaction": {
      const { state } = event;
      if (state.step === "started") return ["Compacting."];
      if (state.step === "failed") return [`Not compacted: ${sanitizeLine(state.message)}`];
      return [];
    }
    case "phase":
      return event.phase === "waiting" ? ["The agent is thinking."] : [];
    case "idle":
      if (event.why === "failed") return [`Failed: ${sanitizeLine(event.message ?? "")}`];
      return [event.why === "stopped" ? "Stopped." : "The agent is done."];
    case "delta":
    case "reset":
    case "progress":
    case "asked":
    case "denied":
    case "rules":
    case "budget":
      return [];
    default:
      return event satisfies never;
  }
}

function narrateEntry(entry: Entry): string[] {
  switch (entry.type) {
    case "user":
      return [`You said: ${sanitize(typedText(entry)) || "an image"}`];
    case "assistant":
      return entry.content.flatMap((block) => {
        if (block.type === "text") return ["Agent says:", ...prose(block.text)];
        if (block.type === "tool_use") return [`Agent runs: ${callTitle(block.name, block.input)}`];
        return [];
      });
    case "result":
      return sayResult(entry);
    case "context":
      return entry.kind === "shell"
        ? [`Output of ${sanitizeLine(entry.title)}:`, ...shortened(blockText(entry.content))]
        : [];
    case "cut": {
      const { usedBefore, usedAfter, usd, isEstimate } = entry.price;
      return [
        `Compaction, ${badges[entry.tier]}: ${showTokens(usedBefore - usedAfter)} tokens freed${usd === 0 ? "" : `, ${showUsd(usd, isEstimate)}`}. Type /undo-compact to undo it.`,
      ];
    }
    case "restore":
      return [entry.redo ? "A compaction was redone." : "A compaction was undone."];
    case "note":
      return entry.kind === "title" ? [] : [`Note, ${entry.kind}: ${sanitize(entry.text)}`];
    case "model":
      return [`The model is now ${sanitizeLine(entry.model)}.`];
    case "head":
      return ["Rewound to an earlier message."];
    case "session":
    case "pin":
    case "rule":
    case "step":
    case "checkpoint":
    case "count":
    case "refresh":
    case "attempt":
    case "repair":
    case "unknown":
      return [];
    default:
      return entry satisfies never;
  }
}

function sayResult(entry: EntryOf<"result">): string[] {
  const lines = shortened(blockText(entry.content));
  return [`Result${entry.isError ? ", an error" : ""}, ${counted(entry.lines, "line")}:`, ...lines];
}

const shortened = (text: string): readonly string[] =>
  atMost(sanitize(text).split("\n"), maxLines, (rest) => `And ${counted(rest, "more line")}.`);

/** Replaces code fences, which are read as three accents. */
const prose = (text: string): string[] => {
  let isCode = false;
  return sanitize(text)
    .split("\n")
    .map((line) => {
      const fence = /^\s*(?:```|~~~)\s*(\w*)/.exec(line);
      if (!fence) return line;
      isCode = !isCode;
      return isCode ? `Code${fence[1] ? `, ${fence[1]}` : ""}:` : "End of code.";
    });
};

function sayAsk(ask: Ask): string[] {
  const { title, detail, warning, access, description, rule, poll } = ask;
  const subject = showControls(detail).trimEnd().split("\n");
  if (poll)
    return [
      `${showControls(title)}:`,
      ...subject,
      ...poll.options.map(({ label, description: more }, at) =>
        showControls(`${at + 1}: ${label}${more === undefined ? "" : `, ${more}`}`),
      ),
      "Type a number, your own words, or n not to answer.",
    ];
  const session = rule === null ? "" : `, a to allow it for this session (${showControls(rule)})`;
  return [
    `Permission needed: ${showControls(title)}`,
    ...subject,
    ...(warning === undefined ? [] : [`Warning: ${showControls(warning)}`]),
    ...(access === undefined ? [] : [showControls(access)]),
    ...(description === undefined ? [] : [`The agent says: ${showControls(description)}`]),
    `Type y to allow it once${session}, or n and your reason to deny it.`,
  ];
}

const readline = (): typeof import("node:readline") => require("node:readline");

type LineInputOptions = {
  stdin: NodeJS.ReadStream;
  take(events: readonly InputEvent[]): void;
  ended(): void;
};

/** Terminals without cursor movement, such as an editor's shell: input arrives in whole lines. */
export function lineInput({ stdin, take, ended }: LineInputOptions) {
  const reader = readline().createInterface({ input: stdin, terminal: false });
  reader.on("line", (line) => take([...typed(line), press("enter", "")]));
  reader.on("close", ended);
  return {
    setReports: () => undefined,
    setRawMode: () => undefined,
    setMouse: () => undefined,
    stop(): void {
      reader.off("close", ended);
      reader.close();
      stdin.pause();
    },
  };
}

/** Speaks notices and panels, and closes the panels. */
export function speakChanges(screen: Screen, commit: () => void): () => void {
  const { store, overlay, actions } = screen;
  let flash = "";
  return store.subscribe(() => {
    const said = store.state.flash?.text ?? "";
    if (said !== flash && said !== "") screen.speak([sanitizeLine(said)]);
    flash = said;
    if (store.state.panel === null || overlay.question) return;
    commit();
    screen.speak(overlay.panelText);
    actions.show(null);
  });
}
