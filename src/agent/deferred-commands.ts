/** Commands that wait for a turn boundary because they change the view or the head. */

import { priceChanges, priceRestore } from "../context/meter/cache.ts";
import { isSummarizedAgain } from "../context/view/rows.ts";
import { blockText, type ToolUseBlock, type UserBlock } from "../protocol/block.ts";
import type { AgentCommand } from "../protocol/command.ts";
import type { View } from "../context/types.ts";
import type { Entry, EntryId } from "../protocol/entry.ts";
import type { AgentEvent, Events } from "../protocol/event.ts";
import { describeRoute, toFileRewind, routeTo } from "./rewind.ts";
import { budgetName } from "../protocol/budget.ts";
import type { Session } from "./session.ts";
import { recordCheckpoint, runWatched } from "./tool-calls.ts";
import type { AgentContext } from "./options.ts";

export type DeferredCommand = Exclude<
  AgentCommand,
  { type: "prompt" | "news" | "answer" | "stop" | "unqueue" | "mode" | "background" }
>;

type CommandOf<T extends DeferredCommand["type"]> = Extract<DeferredCommand, { type: T }>;

export async function* runDeferred(
  context: AgentContext,
  command: DeferredCommand,
  signal: AbortSignal,
): Events {
  const { session, boundaries } = context;
  switch (command.type) {
    case "compact":
      return yield* boundaries.compact(command, signal);
    case "summarize":
      return yield* boundaries.summarize(command, signal);
    case "shell":
      return yield* runShell(context, command.command, signal);
    case "cut":
      return yield await cutByHand(session, command);
    case "restore":
      return yield await restore(session, command);
    case "pin":
      return yield await session.record({ type: "pin", entry: command.entry, on: command.on });
    case "recall":
      return yield await recall(session, command);
    case "model": {
      const name = context.resolveModelName?.(command.model) ?? command.model;
      return yield* session.useModel(context.model, name);
    }
    case "remember":
      return yield* remember(context, command.note);
    case "effort": {
      session.effort = command.effort;
      const text = `The effort is now ${command.effort ?? "the model's own default"}.`;
      return yield await session.record({ type: "note", kind: "info", text });
    }
    case "rule":
      return yield await session.record({ type: "rule", text: command.text, is: command.is });
    case "budget": {
      context.budget?.set(command.scope, command.usd);
      yield { type: "budget", budget: context.budget?.state ?? [] };
      const cap = command.usd === null ? "no longer limited" : `$${command.usd}`;
      const text = `The budget for ${budgetName(command.scope)} is ${cap}.`;
      return yield await session.record({ type: "note", kind: "info", text });
    }
    case "rename":
      return yield await session.record({ type: "note", kind: "title", text: command.title });
    case "rewind":
      return yield* rewind(context, command);
    default:
      return command satisfies never;
  }
}

async function* runShell(context: AgentContext, command: string, signal: AbortSignal): Events {
  const { session } = context;
  const call: ToolUseBlock = {
    type: "tool_use",
    id: `shell-${session.log.path.length}`,
    name: "Bash",
    input: { command },
  };
  yield { type: "phase", phase: "tools" };
  yield { type: "progress", toolUse: call.id, tail: "", bytes: 0 };
  const { content, checkpoint } = yield* runWatched(context, call, signal);
  yield* recordCheckpoint(context, call, checkpoint);
  yield await session.record({ type: "context", kind: "shell", title: command, content });
}

function cutByHand(session: Session, { changes, reason }: CommandOf<"cut">): Promise<AgentEvent> {
  const price = priceChanges(session.signals, changes);
  const by = { tier: "manual", trigger: "inspector" } as const;
  return session.record({ type: "cut", ...by, reason, changes, price });
}

/** Undoing costs what cutting costs: everything after the first change is written to the cache again. */
function restore(
  session: Session,
  { cut, entry, redo }: CommandOf<"restore">,
): Promise<AgentEvent> {
  const { log, rules, policy, view, nowMs } = session;
  const why = redo ? whyNotRedone(view, cut) : whyNotUndone(view, cut, entry);
  if (why !== null) throw new Error(why);
  const target = { cut, ...(entry === undefined ? {} : { entry }) };
  const { price, isRejected } = priceRestore(log.path, { ...target, redo }, rules, policy, nowMs);
  if (isRejected) throw new Error("A later summary overlaps this cut: undo the summary first.");
  const again = redo ? { redo: true as const } : {};
  return session.record({ type: "restore", ...target, ...again, price });
}

function whyNotUndone(view: View, cut: EntryId, entry: EntryId | undefined): string | null {
  const standing = view.cuts.find(({ id }) => id === cut);
  if (!standing) return "This compaction has already been undone.";
  const affected = standing.changes.some(
    (change) => entry === undefined || (change.kind !== "cover" && change.entry === entry),
  );
  if (!affected) return "This item is part of a summary; undo the whole compaction instead.";
  return isSummarizedAgain(view, standing)
    ? "A newer summary covers this one: undo the newer one first."
    : null;
}

function whyNotRedone(view: View, cut: EntryId): string | null {
  if (view.cuts.some(({ id }) => id === cut)) return "This compaction is in effect.";
  const isCut = view.path.some(({ id, type }) => id === cut && type === "cut");
  return isCut ? null : "There is no such compaction.";
}

async function* remember({ session, remember: keep }: AgentContext, note: string): Events {
  if (!keep) throw new Error("This session keeps no notes.");
  const { fact, warning } = await keep(note);
  yield await session.record(fact);
  if (warning) yield await session.record({ type: "note", kind: "warning", text: warning });
}

async function recall(session: Session, { entry: id }: CommandOf<"recall">): Promise<AgentEvent> {
  const entry = session.log.get(id);
  if (!entry) throw new Error(`This session has no entry ${id}.`);
  const title = `entry ${id}`;
  return session.record({ type: "context", kind: "recall", title, content: toContent(entry) });
}

async function* rewind(
  { session, rewindFiles, model }: AgentContext,
  { to, files, conversation, unsure }: CommandOf<"rewind">,
): Events {
  const route = routeTo(session.log, to);
  const rewound = files
    ? await rewindFiles({ ...toFileRewind(route), unsure: unsure === true })
    : null;
  if (conversation) {
    const why = describeRoute(route);
    yield { type: "entry", entry: await session.append({ type: "head", why }, to) };
    // The model of that time answers next, by its own rules.
    const { view, rules } = session;
    if (view.model !== rules.model) yield* session.useModel(model, view.model);
  }
  // After the head has moved, so that it is on the branch that is shown.
  if (rewound === null) return;
  // The messages stay, so this is the latest change of these files.
  if (!conversation && rewound.files.length > 0)
    yield await session.record({ type: "checkpoint", toolUse: "rewind", files: rewound.files });
  yield await session.record({ type: "note", kind: "info", text: rewound.text });
}

function toContent(entry: Entry): UserBlock[] {
  switch (entry.type) {
    case "user":
    case "context":
    case "result":
      return entry.content;
    case "assistant":
      return [{ type: "text", text: blockText(entry.content) || "(no text)" }];
    default:
      return [{ type: "text", text: JSON.stringify(entry) }];
  }
}
