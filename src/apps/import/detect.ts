import { z } from "zod";
import { claudeCode } from "./claude-code/reader.ts";
import { codex } from "./codex/reader.ts";
import { isRecord, parseJson } from "./json.ts";
import { pi } from "./pi/reader.ts";
import type { Reader } from "./source.ts";
import type { SourceFile } from "./source-file.ts";

const readers: readonly Reader[] = [pi, codex, claudeCode];

/** Lines to look at: a file may begin with damaged or unspecific lines. */
const maxLines = 2_000;

const own = z.object({ type: z.literal("session"), parent: z.null(), at: z.string() });

type Detected = { reader: Reader } | { reader: null; reason: string };

/** The agent that wrote the file, judged by its content, not by its name. */
export function detect(file: SourceFile): Detected {
  let seen = 0;
  let detected: Detected | null = null;
  const look = (text: string): boolean => {
    const json = parseJson(text);
    detected ??= readerFor(json);
    return detected === null && ++seen < maxLines;
  };
  const { rest } = file.eachLine({ line: ({ text }) => look(text) });
  if (rest !== null && detected === null) look(rest.text);
  return detected ?? { reader: null, reason: "it holds no session of Claude Code, pi or Codex" };
}

function readerFor(json: unknown): Detected | null {
  if (own.safeParse(json).success)
    return { reader: null, reason: "it is a session of mini-claude already" };
  if (isRecord(json) && typeof json["session"] === "string" && "output_tokens_reliable" in json)
    return { reader: null, reason: "it is a recording, which mini-claude replay reads as it is" };
  const reader = readers.find((one) => one.recognizes(json));
  return reader ? { reader } : null;
}
