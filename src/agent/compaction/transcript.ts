import { errorMessage } from "../../base/in-words.ts";
import type { View } from "../../context/types.ts";

/** The folder for readable copies of compacted conversations, and how to write there. */
export type Transcripts = { dir: string; write(path: string, text: string): Promise<void> };

type TranscriptCopy = {
  path: string;
  /** Returns null on success, else a warning. */
  write(): Promise<string | null>;
};

/** Prepares a copy of the messages as they are now; writes it only once the cut is certain. */
export function prepareCopy(
  view: View,
  transcripts: Transcripts | undefined,
): TranscriptCopy | null {
  if (!transcripts) return null;
  const { name, text } = formatTranscript(view);
  const path = `${transcripts.dir}/${name}`;
  const write = (): Promise<string | null> =>
    transcripts.write(path, text).then(
      () => null,
      (error: unknown) => `The transcript could not be copied to ${path}: ${errorMessage(error)}`,
    );
  return { path, write };
}

/** File name and text: one message per line, as JSON. */
function formatTranscript(view: View): { name: string; text: string } {
  const at = view.rows.at(-1)?.entry.at ?? "";
  const text = view.messages.map((message) => `${JSON.stringify(message)}\n`).join("");
  return { name: `transcript_${at.replace(/[^\dTZ]+/g, "-")}.jsonl`, text };
}
