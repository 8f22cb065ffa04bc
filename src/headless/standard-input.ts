import { UsageError } from "../config/usage-error.ts";

/** A command such as `git diff` starts printing well within this time. */
const firstBytesMs = 3_000;

/** In characters. */
const atMost = 64 * 1024 ** 2;

/**
 * Everything on standard input. With a prompt on the command line input is optional: null when none
 * arrives in time, because a parent process may leave the pipe open and never write. Throws
 * `UsageError` when it is too long.
 */
export async function readInput(
  isOptional: boolean,
  input: ReadableStream<Uint8Array> = Bun.stdin.stream(),
  waitMs: number = firstBytesMs,
): Promise<string | null> {
  const reader = input.getReader();
  const decoder = new TextDecoder();
  const silence = Promise.withResolvers<null>();
  const timer = isOptional ? setTimeout(() => silence.resolve(null), waitMs) : undefined;
  try {
    let text = "";
    for (let first = true; ; first = false) {
      const chunk = await (first ? Promise.race([reader.read(), silence.promise]) : reader.read());
      if (chunk === null) return null;
      if (chunk.done) return text + decoder.decode();
      text += decoder.decode(chunk.value, { stream: true });
      if (text.length > atMost)
        throw new UsageError(
          "Standard input is longer than 64 MB. Name a file in the prompt instead.",
        );
    }
  } finally {
    clearTimeout(timer);
    reader.releaseLock();
  }
}
