/**
 * What happens, in words, for who listens instead of looking: every line is whole by itself, says who
 * speaks, and is never taken back. No signs, no boxes, no numbers that run.
 */

import { textOf } from "../../protocol/block.ts";
import type { Entry, EntryOf } from "../../protocol/entry.ts";
import type { AgentEvent, Ask } from "../../protocol/event.ts";
import { sanitise, sanitiseLine } from "../sanitise.ts";
import { badges, callTitle, showTokens, showUsd } from "../transcript/format.ts";

/** Lines of a result that are read out. */
const mostLines = 12;

/** Nothing for what a listener need not know of. */
export function narrate(event: AgentEvent): string[] {
  switch (event.type) {
    case "entry":
      return narrateEntry(event.entry);
    case "ask":
      return sayAsk(event.ask);
    case "retry":
      return [
        `Waiting ${Math.ceil(event.waitMs / 1000)} seconds, then try ${event.attempt} of ${event.of}: ${sanitiseLine(event.reason)}`,
      ];
    case "mode":
      return [`Permission mode: ${event.mode}.`];
    case "queue":
      return event.waiting.length === 0 ? [] : [`Messages waiting: ${event.waiting.length}.`];
    case "compaction": {
      const { state } = event;
      if (state.step === "started") return ["Compacting."];
      if (state.step === "failed") return [`Not compacted: ${sanitiseLine(state.message)}`];
      if (state.step !== "review") return [];
      return [
        "Summary to put in place:",
        ...sanitise(state.text).split("\n"),
        "Type y to put it in place, n to leave all as it is.",
      ];
    }
    case "phase":
      return event.phase === "waiting" ? ["Agent is thinking."] : [];
    case "idle":
      if (event.why === "failed") return [`Failed: ${sanitiseLine(event.message ?? "")}`];
      return [event.why === "stopped" ? "Stopped." : "Agent is done."];
    case "delta":
    case "reset":
    case "progress":
    case "asked":
      return [];
    default:
      return event satisfies never;
  }
}

export function narrateEntry(entry: Entry): string[] {
  switch (entry.type) {
    case "user":
      return [`You said: ${sanitise(textOf(entry.content)) || "an image"}`];
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
        ? [`Output of ${sanitiseLine(entry.title)}:`, ...shortened(textOf(entry.content))]
        : [];
    case "cut": {
      const { usedBefore, usedAfter, usd } = entry.price;
      return [
        `Compaction, ${badges[entry.tier]}: ${showTokens(usedBefore - usedAfter)} tokens freed, ${showUsd(usd)}. Type /undo-compact to take it back.`,
      ];
    }
    case "restore":
      return ["A compaction was taken back."];
    case "note":
      return entry.kind === "title" ? [] : [`Note, ${entry.kind}: ${sanitise(entry.text)}`];
    case "model":
      return [`The model is now ${sanitiseLine(entry.model)}.`];
    case "head":
      return ["Went back to an earlier message."];
    case "session":
    case "pin":
    case "checkpoint":
    case "count":
    case "attempt":
    case "repair":
    case "unknown":
      return [];
    default:
      return entry satisfies never;
  }
}

function sayResult(entry: EntryOf<"result">): string[] {
  const lines = shortened(textOf(entry.content));
  return [
    `Result${entry.isError ? ", an error" : ""}, ${entry.lines} ${entry.lines === 1 ? "line" : "lines"}:`,
    ...lines,
  ];
}

function shortened(text: string): string[] {
  const lines = sanitise(text).split("\n");
  const rest = lines.length - mostLines;
  return rest > 0 ? [...lines.slice(0, mostLines), `And ${rest} more lines.`] : lines;
}

/** Fences of code in words; a listener would hear three accents. */
const prose = (text: string): string[] => {
  let isCode = false;
  return sanitise(text)
    .split("\n")
    .map((line) => {
      const fence = /^\s*(?:```|~~~)\s*(\w*)/.exec(line);
      if (!fence) return line;
      isCode = !isCode;
      return isCode ? `Code${fence[1] ? `, ${fence[1]}` : ""}:` : "End of code.";
    });
};

function sayAsk({ title, detail, warning, rule }: Ask): string[] {
  const session = rule === null ? "" : `, a for yes for this session (${sanitiseLine(rule)})`;
  return [
    `Permission needed: ${sanitiseLine(title)}`,
    ...(warning === undefined ? [] : [`Warning: ${sanitiseLine(warning)}`]),
    ...sanitise(detail).trimEnd().split("\n"),
    `Type y for yes${session}, or n and your reason for no.`,
  ];
}
