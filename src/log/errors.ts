/** A log that cannot be opened or written, in a sentence for the person. */
export class LogError extends Error {
  override readonly name = "LogError";
}
