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
  switch (issue?.code) {
    case "invalid_value": {
      const allowed = issue.values.map(String);
      const hint = typeof value === "string" ? didYouMean(value, allowed, "") : "";
      return `must be one of ${allowed.join(", ")}, not ${shown}${hint}`;
    }
    case "invalid_type":
      return `must be ${typeNames[issue.expected] ?? issue.expected}, not ${shown}`;
    case "too_small":
      return `must be at least ${issue.minimum}, not ${shown}`;
    case "too_big":
      return `must be at most ${issue.maximum}, not ${shown}`;
    default:
      return `${issue?.message ?? "is not allowed"}, not ${shown}`;
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
