/** The result of a command, in the few lines that matter. */

import { clipLine, takeStart } from "../../base/clip.ts";
import type { Step } from "./conversation.ts";
import { fenced, inCode, paragraphs } from "./text.ts";

const counts =
  /\b\d+ (?:pass(?:ed|ing)?|fail(?:ed|ing|ures?)?|errors?|warnings?|tests?|skipp?(?:ed)?|examples?)\b|^test result:|^Tests?:\s|^ok\s+\S+\s+[\d.]+s/i;
const fault =
  /\((?:fail|FAIL)\)|^\s*(?:✗|✘|×|not ok|FAILED|FAIL)\b|✗|^error\b|\berror(?:\[|:| TS)|\bpanicked at\b|^E\s{2,}|AssertionError|Error:/;
const place = /(?:^|[\s("'])((?:\.{0,2}\/)?[\w@.-]+(?:\/[\w@.-]+)*\.[a-z]{1,4}:\d+)(?::\d+)?/i;
const ending =
  /^\[(exit code \d+|killed by \w+|timed out[^\]]*|interrupted[^\]]*|stopped|ended because[^\]]*)\]$/m;

const lineChars = 300;

/** How the command ended, its counts, and after a failure the first errors and their places. */
export function reportOn(command: string, { text, failed, cleared }: Step): string {
  if (cleared)
    return `\`${command}\` ran, but its output was removed from the context to make room.`;
  if (/^(?:Runs|Running) in the background/.test(text)) return clipLine(text, 400);
  const how = ending.exec(text)?.[1];
  if (failed && how === undefined) return `\`${command}\` did not run: ${clipLine(text, 400)}`;
  const lines = text
    .split("\n")
    .map((line) => takeStart(line, lineChars))
    .filter((line) => line.trim() !== "" && line !== `[${how}]`);
  const summary = lines.filter((line) => counts.test(line)).slice(-4);
  const faults = failed ? lines.filter((line) => fault.test(line)).slice(0, 8) : [];
  const important = [...new Set([...faults, ...summary])];
  const shown = important.length > 0 ? important : ends(lines);
  const places = failed ? [...new Set(lines.flatMap((line) => place.exec(line)?.[1] ?? []))] : [];
  return paragraphs(
    `\`${command}\` ${failed ? `failed: ${how}` : "succeeded (exit code 0)"}.`,
    lines.length === 0 || text === "(no output)"
      ? "It printed nothing."
      : paragraphs(shown.length < lines.length ? "From its output:" : "", fenced(shown.join("\n"))),
    places.length === 0 ? "" : `Locations: ${places.slice(0, 6).map(inCode).join(", ")}`,
  );
}

/** The first and the last lines: a list begins with what matters, a build ends with it. */
const ends = (lines: readonly string[]): readonly string[] =>
  lines.length <= 20 ? lines : [...lines.slice(0, 9), "…", ...lines.slice(-9)];
