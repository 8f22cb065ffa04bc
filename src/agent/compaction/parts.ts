/** What a compactor is made of, and on what occasion it is asked. */

import type { ModelClient } from "../../model/client.ts";
import type { Trigger } from "../../protocol/entry.ts";
import type { Clock } from "../clock.ts";
import type { Session } from "../session.ts";

export type CompactorOptions = {
  session: Session;
  model(): ModelClient;
  /** Text of a file in the workspace as it is now; null when it cannot be read as text. */
  readFile(path: string): Promise<string | null>;
  /** For the waits between tries; absent: there are none. */
  clock?: Clock;
  /** The person's own hook: may veto (with a reason), or add to the prompt. */
  preCompact?(trigger: Trigger): Promise<{ veto?: string; instructions?: string }>;
  /** Hears the text that now stands in the conversation's place. */
  postCompact?(text: string): Promise<void>;
  /** Folder for a readable copy of the messages that each summary covers, and how to write there. */
  transcripts?: { dir: string; write(path: string, text: string): Promise<void> };
};

export type Occasion = {
  trigger: Trigger;
  signal: AbortSignal;
  focus?: string;
  /** The next request would not fit: neither a person nor a hook is asked whether. */
  forced?: boolean;
};
