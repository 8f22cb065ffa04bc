/** What ripgrep prints with `--json`. */

import { join } from "node:path";
import { z } from "zod";
import { maxLines, type FoundFile, type SearchQuery } from "./matches.ts";

const bytesOrText = z.union([
  z.object({ text: z.string() }),
  z.object({ bytes: z.string().transform((coded) => Buffer.from(coded, "base64")) }),
]);

const linesEvent = z.object({
  type: z.enum(["match", "context"]),
  data: z.object({
    lines: bytesOrText,
    line_number: z.number(),
    submatches: z.array(z.object({ start: z.number() })),
  }),
});

type LinesEvent = z.infer<typeof linesEvent>;

const message = z.discriminatedUnion("type", [
  z.object({ type: z.literal("begin"), data: z.object({ path: bytesOrText }) }),
  linesEvent,
  z.object({
    type: z.literal("end"),
    data: z.object({
      binary_offset: z.number().nullable(),
      stats: z.object({ matched_lines: z.number() }),
    }),
  }),
]);

/** The files with a match; binary ones are left out. */
export async function* readFound(
  output: ReadableStream<Uint8Array>,
  query: SearchQuery,
): AsyncGenerator<FoundFile> {
  let file: FoundFile = { path: "", lines: [], matches: 0 };
  let wanted = 0;
  for await (const lines of linesOf(output)) {
    for (const line of lines) {
      if (file.lines.length >= wanted && isAboutLines.test(line)) continue;
      const { data: event } = message.safeParse(JSON.parse(line));
      if (event?.type === "begin") {
        file = { path: join(query.folder, textIn(event.data.path)), lines: [], matches: 0 };
        wanted = Math.min(query.linesWanted(), maxLines);
      } else if (event?.type === "end") {
        file.matches = event.data.stats.matched_lines;
        if (event.data.binary_offset === null) yield file;
      } else if (event) addLines(file, event, wanted);
    }
  }
}

function addLines({ lines }: FoundFile, { type, data }: LinesEvent, wanted: number): void {
  const whole = textIn(data.lines);
  const startBytes = data.submatches[0]?.start ?? 0;
  const at = Buffer.from(whole).subarray(0, startBytes).toString().length;
  const texts = whole.replace(/\r?\n$/, "").split(/\r?\n/);
  for (const [index, text] of texts.slice(0, wanted - lines.length).entries()) {
    const start = index === 0 ? at : 0;
    lines.push({ line: data.line_number + index, text, at: type === "match" ? start : null });
  }
}

/** These are most of the output, and are not parsed if they are only counted. */
const isAboutLines = /^\{"type":"(?:match|context)"/;

/** Lines, in groups as they arrive, without an incomplete last one. */
async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const text = decoder.decode(chunk, { stream: true });
    if (text.includes("\n")) {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      yield lines;
    } else rest += text;
  }
}

const textIn = (data: z.infer<typeof bytesOrText>): string =>
  "text" in data ? data.text : data.bytes.toString("latin1");
