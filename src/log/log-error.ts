import { errorCode } from "../base/guards.ts";

/** A session file that cannot be read or written, explained in one sentence for the user. */
export class LogError extends Error {
  override readonly name = "LogError";
}

/** Another process has the session open. */
export class SessionInUse extends LogError {}

const reasons: Record<string, string> = {
  ENOSPC: "the disk is full",
  EDQUOT: "your disk quota is used up",
  EFBIG: "the file size limit was reached",
  EROFS: "the disk is read-only",
  EACCES: "permission denied",
  EPERM: "permission denied",
  ENOENT: "it does not exist",
  EISDIR: "it is a folder",
  EIO: "the disk reported an error",
};

/** Wraps an error with the failed action and its cause; returns a `LogError` unchanged. */
export const logError = (what: string, cause: unknown): LogError =>
  cause instanceof LogError ? cause : new LogError(`${what}: ${explainError(cause)}.`, { cause });

/** A file system error in words, to follow a colon. */
export function explainError(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return reasons[errorCode(cause)] ?? cause.message;
}
