/** Which session a run continues, and what the new one is called. */

import type { FlagValues } from "./flag-options.ts";
import { UsageError } from "./usage-error.ts";

export type SessionFlags = {
  resume: { kind: "new" } | { kind: "latest" } | { kind: "pick" } | { kind: "session"; id: string };
  /** Continue in a copy of the session. */
  fork: boolean;
  /** Set: nothing of the session is kept. */
  isTemporary?: boolean | undefined;
  /** Name of the new session; a UUID. */
  sessionId?: string | undefined;
  /** Continue from this message, by the UUID that was printed with it. */
  resumeAt?: string | undefined;
};

/** A session of this folder by its name, or a new one. */
export const sessionNamed = (id: string | null): SessionFlags => {
  return { resume: id === null ? { kind: "new" } : { kind: "session", id }, fork: false };
};

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** `id`: the name that was given with `--resume`. Throws `UsageError`. */
export function sessionFlags(values: FlagValues, id: string | null): SessionFlags {
  if (values.continue && values.resume)
    throw new UsageError("--continue and --resume cannot be combined.");
  const fork = values["fork-session"] ?? false;
  const resumes = values.continue || values.resume;
  if (fork && !resumes) throw new UsageError("--fork-session needs --resume or --continue.");
  const sessionId = values["session-id"];
  if (sessionId !== undefined && !uuid.test(sessionId))
    throw new UsageError(`--session-id must be a UUID, not ${sessionId}.`);
  if (sessionId !== undefined && resumes && !fork)
    throw new UsageError("--session-id names a new session; with --resume, add --fork-session.");
  return {
    resume: resumeOf(values, id),
    fork,
    isTemporary: values["no-session-persistence"],
    sessionId: sessionId?.toLowerCase(),
    resumeAt: values["resume-session-at"],
  };
}

function resumeOf(values: FlagValues, id: string | null): SessionFlags["resume"] {
  if (id !== null) return { kind: "session", id };
  if (values.resume) return { kind: "pick" };
  return { kind: values.continue ? "latest" : "new" };
}

const resumeFlag = /^(-r|--resume)(=.*)?$/s;

/**
 * Extracts the optional name of `--resume NAME`. Session names contain a digit and no space, so a
 * prompt after `--resume` is still a prompt.
 */
export function takeSession(args: readonly string[]): { rest: string[]; id: string | null } {
  const end = args.indexOf("--");
  const at = args.findIndex((arg) => resumeFlag.test(arg));
  if (at === -1 || (end !== -1 && at > end)) return { rest: [...args], id: null };
  const [flag = "", ...value] = (args[at] ?? "").split("=");
  const given = value.join("=");
  const next = args[at + 1] ?? "";
  const taken = given === "" && /^(?=.*\d)\w[\w.-]*$/.test(next);
  const id = given || (taken ? next : null);
  if (args.slice(at + 1, end === -1 ? undefined : end).some((arg) => resumeFlag.test(arg))) {
    throw new UsageError("--resume was given twice.");
  }
  return { rest: [...args.slice(0, at), flag, ...args.slice(at + (taken ? 2 : 1))], id };
}
