import { takeStart } from "../base/clip.ts";
import { editDistance } from "../base/edit-distance.ts";
import type { z } from "zod";
import type { RawSettings } from "./schema.ts";

/** Characters of a value that a complaint shows. */
const maxShownChars = 60;

/** Why a value was refused, as the end of a sentence: “must be a number, not "many"”. */
export function requirement(found: RawSettings, error: z.ZodError | null): string {
  const { value } = found;
  const shown = takeStart(show(found), maxShownChars);
  const issue = error?.issues[0];
  const allowed = issue ? listAllowed(issue) : [];
  if (allowed.length === 0) return `${issue?.message ?? "is not allowed"}, not ${shown}`;
  const hint =
    issue?.code === "invalid_value" && typeof value === "string"
      ? didYouMean(value, issue.values.map(String), "")
      : "";
  return `must be ${allowed.join(" or ")}, not ${shown}${hint}`;
}

/** The values allowed in a place; empty where only the schema's own message says it. */
function listAllowed(issue: z.core.$ZodIssue): string[] {
  switch (issue.code) {
    case "invalid_value":
      return [`one of ${issue.values.map(String).join(", ")}`];
    case "invalid_type":
      return [typeNames[issue.expected] ?? issue.expected];
    case "too_small":
      return [`at least ${issue.minimum}`];
    case "too_big":
      return [`at most ${issue.maximum}`];
    case "invalid_union":
      return [...new Set(issue.errors.flatMap(([first]) => (first ? listAllowed(first) : [])))];
    default:
      return [];
  }
}

function show({ value, text, source }: RawSettings): string {
  if (typeof value === "string") return text ?? (source.startsWith("--") ? value : `"${value}"`);
  return JSON.stringify(value) ?? String(value);
}

const typeNames: Record<string, string> = {
  number: "a number",
  int: "a whole number",
  string: "text",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
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
