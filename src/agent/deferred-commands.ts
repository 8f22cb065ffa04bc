/** Commands that wait for a turn boundary, because they change the view or the head. */

import { priceOf } from "../context/cache.ts";
import { priceOfRestore } from "../context/restore.ts";
import type { Command } from "../protocol/command.ts";
import type { Change, Entry, EntryId, EntryOf, Price } from "../protocol/entry.ts";
import type { AgentEvent } from "../protocol/event.ts";
import { textOf, type ToolUseBlock, type UserBlock } from "../protocol/block.ts";
import type { AgentOptions } from "./agent.ts";
import type { TurnBoundaries } from "./turn-boundaries.ts";
import type { Session } from "./session.ts";
import { runWatched, type ApprovalGate } from "./tool-calls.ts";

export type DeferredCommand = Exclude<
  Command,
  { type: "prompt" | "answer" | "stop" | "unqueue" | "mode" | "background" | "review" }
>;

type DeferredOptions = Pick<AgentOptions, "model" | "toolbox" | "log" | "clock" | "rewindFiles">;

export async function* runDeferred(
  session: Session,
  parts: DeferredOptions,
  hooks: TurnBoundaries,
  errand: DeferredCommand,
  asking: ApprovalGate,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, void> {
  switch (errand.type) {
    case "compact":
      return yield* hooks.compact(errand, signal);
    case "summarise":
      return yield* hooks.summarise(errand, signal);
    case "shell":
      return yield* runShell(session, parts, errand.command, asking, signal);
    case "cut": {
      const price = priceNow(session, errand.changes);
      const { changes, reason } = errand;
      return yield await session.record({
        type: "cut",
        tier: "manual",
        trigger: "inspector",
        reason,
        changes,
        price,
      });
    }
    case "restore":
      return yield await restore(session, errand.cut, errand.entry, parts.clock.now());
    case "pin":
      return yield await session.record({ type: "pin", entry: errand.entry, on: errand.on });
    case "recall": {
      const entry = parts.log.get(errand.entry);
      if (!entry) throw new Error(`There is no entry ${errand.entry} in this session.`);
      return yield await session.record({
        type: "context",
        kind: "recall",
        title: `entry ${entry.id}`,
        content: contentOf(entry),
      });
    }
    case "model":
      session.rules = await parts.model.rules(errand.model);
      return yield await session.record({ type: "model", model: errand.model });
    case "rename":
      return yield await session.record({ type: "note", kind: "title", text: errand.title });
    case "rewind":
      return yield* rewind(session, parts, errand);
    default:
      return errand satisfies never;
  }
}

async function* runShell(
  session: Session,
  { toolbox }: DeferredOptions,
  command: string,
  asking: ApprovalGate,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, void> {
  const call: ToolUseBlock = {
    type: "tool_use",
    id: `shell-${session.log.path.length}`,
    name: "bash",
    input: { command },
  };
  yield { type: "phase", phase: "tools" };
  yield { type: "progress", toolUse: call.id, tail: "", bytes: 0 };
  const outcome = yield* runWatched(toolbox, call, asking, signal);
  yield await session.record({
    type: "context",
    kind: "shell",
    title: command,
    content: outcome.content,
  });
}

function priceNow(session: Session, changes: readonly Change[]): Price {
  const { view, reading, rules, policy } = session;
  return priceOf(view, reading, changes, rules, policy);
}

/** Undoing costs what cutting costs: the prefix behind the first change is written again. */
async function restore(
  session: Session,
  cut: EntryId,
  only: EntryId | undefined,
  nowMs: number,
): Promise<AgentEvent> {
  const standing = session.view.cuts.find((one) => one.id === cut);
  if (!standing) throw new Error(`There is no standing cut ${cut} to take back.`);
  const changes = standing.changes.filter(
    (change) => only === undefined || (change.kind !== "cover" && change.entry === only),
  );
  if (changes.length === 0)
    throw new Error(`Cut ${cut} does not hide entry ${only} by itself; take the whole cut back.`);
  const wanted = { cut, ...(only === undefined ? {} : { entry: only }) };
  const { log, rules, policy } = session;
  const { price } = priceOfRestore(log.path, wanted, rules, policy, nowMs);
  return session.record({ type: "restore", ...wanted, price });
}

async function* rewind(
  session: Session,
  parts: DeferredOptions,
  { to, files, conversation }: Extract<DeferredCommand, { type: "rewind" }>,
): AsyncGenerator<AgentEvent, void> {
  const path = session.log.path;
  const after = to === null ? 0 : path.findIndex((entry) => entry.id === to) + 1;
  if (to !== null && after === 0 && !parts.log.get(to))
    throw new Error(`There is no entry ${to} to go back to.`);
  const undone = path.slice(after);
  if (files) {
    const checkpoints = undone.filter(
      (entry): entry is EntryOf<"checkpoint"> => entry.type === "checkpoint",
    );
    const said = await parts.rewindFiles(checkpoints);
    yield await session.record({ type: "note", kind: "info", text: said });
  }
  if (!conversation) return;
  const entry = await session.append({ type: "head", why: `rewound to ${to ?? "the start"}` }, to);
  yield { type: "entry", entry };
}

function contentOf(entry: Entry): UserBlock[] {
  switch (entry.type) {
    case "user":
    case "context":
    case "result":
      return entry.content;
    case "assistant":
      return [{ type: "text", text: textOf(entry.content) || "(no text)" }];
    default:
      return [{ type: "text", text: JSON.stringify(entry) }];
  }
}
