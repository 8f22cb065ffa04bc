import { takeStart } from "../base/clip.ts";
import { editDistance } from "../base/edit-distance.ts";
import type { z } from "zod";
import type { RawSettings } from "./schema.ts";

/** Characters of a value that a complaint shows. */
const maxShownChars = 60;

/** Why a value was refused, as the end of a sentence: “must be a number, not "many"”. */
export function requirement(
  { value, text, source }: RawSettings,
  error: z.ZodError | null,
): string {
  const issue = error?.issues[0];
  const written =
    typeof value === "string" ? (text ?? (source.startsWith("--") ? value : null)) : null;
  const shown = takeStart(written ?? JSON.stringify(value) ?? String(value), maxShownChars);
  const hint =
    issue?.code === "invalid_value" && typeof value === "string"
      ? didYouMean(value, issue.values.map(String), "")
      : "";
  return `${issue ? describe(issue) : "is not allowed"}, not ${shown}${hint}`;
}

function describe(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_value":
      return `must be one of ${issue.values.map(String).join(", ")}`;
    case "invalid_type":
      return `must be ${typeNames[issue.expected] ?? "an object"}`;
    case "too_small":
      return `must be at least ${issue.minimum}`;
    case "too_big":
      return `must be at most ${issue.maximum}`;
    default:
      return issue.message;
  }
}

const typeNames: Record<string, string> = {
  number: "a number",
  int: "a whole number",
  string: "text",
  boolean: "true or false",
  array: "a list",
};

/** The end of a sentence about a mistyped word: “; did you mean X?”, or `otherwise`. */
export function didYouMean(
  word: string,
  candidates: readonly string[],
  otherwise: string,
  show = (candidate: string): string => candidate,
): string {
  const atMost = Math.max(2, word.length / 3);
  const [closest] = candidates
    .flatMap((candidate) => {
      const distance = editDistance(word, candidate, atMost);
      return distance === null ? [] : [{ candidate, distance }];
    })
    .toSorted((a, b) => a.distance - b.distance);
  return closest ? `; did you mean ${show(closest.candidate)}?` : otherwise;
}
