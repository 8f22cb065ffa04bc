/** What was asked for cannot be meant: one sentence, exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
