/** What a person, through the screen or the command line, asks of the agent. */

import type { UserBlock } from "./block.ts";
import type { Change, EntryId } from "./entry.ts";
import type { PermissionMode } from "./permission.ts";

export type Command =
  | { type: "prompt"; content: UserBlock[] }
  /** Run a shell command for the person and show it to the model (`!ls`). */
  | { type: "shell"; command: string }
  | { type: "answer"; id: string; answer: Answer }
  | { type: "stop" }
  /** Take the waiting messages back. */
  | { type: "unqueue" }
  | { type: "compact"; how: "clear" | "summarise"; trigger: "key" | "command"; focus?: string }
  /** A cut made by hand in the inspector. */
  | { type: "cut"; changes: Change[]; reason: string }
  /** Summarise up to, or from, an entry. */
  | { type: "summarise"; from?: EntryId; to?: EntryId; focus?: string }
  | { type: "restore"; cut: EntryId; entry?: EntryId }
  | { type: "pin"; entry: EntryId; on: boolean }
  /** Bring an old item back at the end, where it breaks no cache. */
  | { type: "recall"; entry: EntryId }
  | { type: "review"; id: string; text: string | null }
  | { type: "model"; model: string }
  | { type: "mode"; mode: PermissionMode }
  | { type: "rename"; title: string }
  /** Go on from an earlier entry; what came after stays in the log as a branch. */
  | { type: "rewind"; to: EntryId | null; files: boolean; conversation: boolean }
  /** Let a running command go on while the agent does. */
  | { type: "background"; toolUse: string };

export type Answer =
  | { allow: true; scope: "once" | "session" }
  /** `reason` goes to the model. */
  | { allow: false; reason?: string };
