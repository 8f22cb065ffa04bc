/** A log that cannot be opened or written, in a sentence for the person. */
export class LogError extends Error {
  override readonly name = "LogError";
}

const reasons: Record<string, string> = {
  ENOSPC: "the disk is full",
  EDQUOT: "your disk quota is used up",
  EFBIG: "the file may not grow any further",
  EROFS: "the disk is read-only",
  EACCES: "you have no right to it",
  EPERM: "you have no right to it",
  ENOENT: "it does not exist",
  EISDIR: "it is a folder",
  EIO: "the disk reports an error",
};

/** An error of the file system in words. */
export function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return reasons[codeOf(cause)] ?? cause.message;
}

/** "ENOENT" and the like; empty for other errors. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
