/** What the output of a command says, in the few lines that matter. */

import { clip, fenced, paragraphs } from "./text.ts";
import type { Step } from "./turn.ts";

const counts =
  /\b\d+ (?:pass(?:ed|ing)?|fail(?:ed|ing|ures?)?|errors?|warnings?|tests?|skipp?(?:ed)?|todo|examples?)\b|^test result:|^Tests?:\s|^ok\s+\S+\s+[\d.]+s/i;
const fault =
  /\((?:fail|FAIL)\)|^\s*(?:✗|✘|×|not ok|FAILED|FAIL)\b|✗|^error\b|\berror(?:\[|:| TS)|\bpanicked at\b|^E\s{2,}|AssertionError|Error:/;
const place = /(?:^|[\s("'])((?:\.{0,2}\/)?[\w@.-]+(?:\/[\w@.-]+)*\.[a-z]{1,4}:\d+)(?::\d+)?/i;

const lineChars = 300;

/** How it ended, its counts, and of a failure the first faults with their places. */
export function reportOn(command: string, { text, failed, gone }: Step): string {
  if (gone)
    return `\`${command}\` has run, but its output was taken out of the context again to make room.`;
  if (text.startsWith("Runs in the background as task")) return clip(text, 400);
  // A line may be as long as the whole output; what it says stands at its beginning.
  const lines = text
    .split("\n")
    .map((line) => line.slice(0, lineChars))
    .filter((line) => line.trim() !== "" && line !== `[${endingOf(text)}]`);
  const ending = endingOf(text);
  if (failed && ending === null) return `\`${command}\` did not run: ${clip(text, 400)}`;
  const summary = lines.filter((line) => counts.test(line)).slice(-4);
  const faults = failed ? lines.filter((line) => fault.test(line)).slice(0, 8) : [];
  const shown = [
    ...new Set(faults.length + summary.length > 0 ? [...faults, ...summary] : lines.slice(-20)),
  ];
  const places = failed ? placesIn(lines) : [];
  return paragraphs(
    `\`${command}\` ${failed ? `failed: ${ending}` : "ended well (exit code 0)"}.`,
    lines.length === 0 || text === "(no output)" ? "It printed nothing." : fenced(shown.join("\n")),
    places.length === 0 ? "" : `Places it names: ${places.map((one) => `\`${one}\``).join(", ")}`,
  );
}

/** `path:line` of the sources that an output names, without repeats. */
export const placesIn = (lines: readonly string[]): string[] =>
  [...new Set(lines.flatMap((line) => place.exec(line)?.[1] ?? []))].slice(0, 6);

const endingOf = (text: string): string | null =>
  /^\[(exit code \d+|killed by \w+|timed out[^\]]*|interrupted[^\]]*|stopped|ended because[^\]]*)\]$/m.exec(
    text,
  )?.[1] ?? null;
