/** The interface of a tool, and the toolbox as the agent sees it. */

import type { z } from "zod";
import type { ToolInput, ToolUseBlock } from "../protocol/block.ts";
import type { Answer } from "../protocol/command.ts";
import type { CheckpointFact, ContextFact, ResultFact } from "../protocol/entry.ts";
import type { Ask } from "../protocol/event.ts";
import type { ToolDefinition } from "../protocol/model.ts";
import type { PermissionMode } from "../protocol/permission.ts";

/** One tool. `Input`: parsed by its schema. */
export interface Tool<Input> {
  readonly name: string;
  /**
   * For the model: purpose, when to use it, refusals. A sentence about another tool is a line that ends
   * with its name (`toolLines`).
   */
  readonly description: string;
  /** Lines below the description. */
  readonly choices?: readonly string[];
  readonly schema: z.ZodType<Input>;
  /** Definition for the model, instead of the one derived from `schema`. */
  readonly definition?: ToolDefinition;
  /** Converts inputs in other agents' forms to the form of `schema`. */
  adapt?(input: ToolInput): ToolInput;
  /** The input is validated as sent, without corrections. */
  readonly isExact?: true;
  /** Changes nothing, so calls may run in parallel. */
  readonly readOnly: boolean;
  /** The call's effect, for the permission rules and the user. */
  intent(input: Input): Promise<Intent>;
  /** Throws `ToolError` for a failure that the model should read. */
  run(input: Input, run: ToolRun): Promise<ToolOutput>;
}

/** The target of a call. Paths are absolute and without symlinks. */
export type Access =
  | { kind: "none" }
  /** Effects unknown, such as a tool of a server. */
  | {
      kind: "external";
      /** The tool name that rules match, if not the tool's own. */
      tool?: string;
    }
  /** Text from a host of the web. */
  | { kind: "fetch"; host: string }
  | { kind: "read"; path: string }
  | { kind: "write"; path: string }
  /** A user note, in a file of our own folder. */
  | { kind: "note"; path: string }
  | {
      kind: "command";
      command: string;
      /** Continues after the call. */
      background?: boolean | undefined;
      /** Working folder; absent: where the previous command ended. */
      cwd?: string;
      /** The model asks for it to run outside the sandbox. */
      outside?: boolean;
      /** Hosts that the model asks for. */
      hosts?: readonly string[] | undefined;
      /** Files and folders that the model asks to be writable. */
      writable?: readonly string[];
    };

export type Intent = {
  /** The target, for the permission rules; determined without opening any file. */
  access: Access;
  /** One line for the dialog and the transcript. */
  title: string;
  /** A function if it reads files: called only once the call may be shown to the user. */
  detail: string | (() => Promise<string>);
  /** "text" by default. */
  detailKind?: Ask["detailKind"];
  /** The model's own description of the call. */
  description?: string | undefined;
};

/** The intent of a call that needs no permission. */
export const touchesNothing = (title: string, detail = ""): Intent => ({
  access: { kind: "none" },
  title,
  detail,
});

/** any: the network of the machine; else these hosts, and those that the user's rules allow. */
type NetworkAccess = "off" | "any" | readonly string[];

/** How an allowed command is run. */
export type Execution = {
  /** Shell source: the line as it was judged. */
  source: string;
  /** false: outside the sandbox, as the user would run it. */
  confined: boolean;
  /** The workspace is writable; false: nothing is, and git runs no programs. */
  write: boolean;
  network: NetworkAccess;
  /** Additional visible files and folders outside the workspace; writable if `write` is set. */
  writable: readonly string[];
};

export type ToolRun = {
  toolUse: string;
  /** The path that was judged, for a call that reads or writes one. */
  path: string | null;
  signal: AbortSignal;
  /** Reports the newest output and the bytes so far. */
  progress(tail: string, bytes: number): void;
  /** Resolves when the user sends the running call to the background. */
  background: Promise<void>;
  /** Asks the user while the call runs, such as on behalf of a subagent. */
  ask(ask: Ask): Promise<Answer>;
  /**
   * Makes a call of the tool's own: judged, hooked and recorded below this one. A failure is an outcome.
   * Absent where no session records it.
   */
  call?: (inner: InnerCall) => Promise<ToolOutcome>;
  /** The result goes to a script, not to a model: it may be large, and needs no notes. */
  forScript?: boolean | undefined;
  /** How to run a command; absent: unchanged, because the user typed it. */
  execution?: Execution | undefined;
  /** Saves a file before it is changed, for a rewind. */
  checkpoint(path: string): Promise<void>;
};

export type InnerCall = { tool: string; input: ToolInput; signal: AbortSignal };

/** A result as it goes into the log. */
export type ToolOutcome = Omit<ResultFact, "type" | "toolUse" | "tool"> & {
  checkpoint?: CheckpointFact["files"];
  /** Facts for the model, after the results of the answer's calls. */
  facts?: readonly ContextFact[];
  /** The new permission mode, chosen by the user. */
  mode?: PermissionMode;
};

/**
 * The output of a tool. `file`: the full output, if the tool wrote it there itself. The size is by
 * default the content's.
 */
export type ToolOutput = Pick<ToolOutcome, "content"> &
  Partial<Omit<ToolOutcome, "content" | "checkpoint">> & {
    /** A folder that becomes readable. */
    opens?: string;
  };

/** A result that is text alone. */
export const textOutput = (text: string): Pick<ToolOutput, "content"> => ({
  content: [{ type: "text", text }],
});

/** The path that a call was judged by. Throws `ToolError` when it has none. */
export function judgedPath({ path }: Pick<ToolRun, "path">): string {
  if (path === null) throw new ToolError("This call was not judged by a path.");
  return path;
}

/** A failure for the model: the fault, and what to do instead. */
export class ToolError extends Error {
  override readonly name = "ToolError";
}

export type Review =
  | { verdict: "allow"; readOnly: boolean }
  | { verdict: "ask"; readOnly: boolean; ask: Omit<Ask, "id" | "toolUse" | "tool"> }
  /** `isDenial`: by a rule, a hook or the mode; else the call itself is wrong. */
  | { verdict: "refuse"; reason: string; isDenial?: true };

export type CallOptions = Pick<
  ToolRun,
  "signal" | "progress" | "background" | "ask" | "call" | "forScript"
>;

export interface Toolbox {
  /** Fixed for the life of the session. */
  readonly definitions: ToolDefinition[];
  mode: PermissionMode;
  /** Why there is no mode auto here, in a sentence. */
  whyNoAuto?(): Promise<string | null>;
  /** The call under our tool name, if it uses another agent's name for one of our tools and the input fits. */
  ownCall?(call: ToolUseBlock): ToolUseBlock;
  /** The normalized input of a call: our keys, an absolute `file_path`. */
  fullInput(call: ToolUseBlock): ToolInput;
  /** Parses the input and asks the permission rules. Never throws. */
  review(call: ToolUseBlock): Promise<Review>;
  /**
   * Allows calls of this kind for the session; `save`: in later sessions as well, where the question
   * offered that. Throws with a sentence when the rule cannot be saved.
   */
  allowForSession(call: ToolUseBlock, options?: { save: boolean }): void;
  /** Applies these rules until the turn ends; replaces earlier ones. */
  allowForTurn(rules: readonly string[]): void;
  /** Runs the call and persists a large result. Failures are results; never throws. */
  run(call: ToolUseBlock, options: CallOptions): Promise<ToolOutcome>;
  /**
   * At the end of a turn and before a rewind: changes by commands that still run, and by those of killed
   * sessions, with notices about the latter.
   */
  settle?(): Promise<{ files: CheckpointFact["files"]; told: string[] }>;
  /** Called once all returned changes are in the log. */
  logged?(): Promise<void>;
  /** Removes the file of a result that could not be logged. */
  discard?(outcome: ToolOutcome): Promise<void>;
  /** Ends background commands. */
  close(): Promise<void>;
}
