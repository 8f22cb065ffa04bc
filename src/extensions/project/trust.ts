/** Which folders' files the user trusts: `trust.json`. */

import { dirname } from "node:path";
import { z } from "zod";
import { readJson, saveJson } from "../../config/json-file.ts";

const schema = z.object({ folders: z.record(z.string(), z.enum(["trusted", "untrusted"])) });

export type TrustDecision = "trusted" | "untrusted";

/** By folder: absolute, without symlinks. */
type TrustDecisions = ReadonlyMap<string, TrustDecision>;

/** Throws with a sentence when the file is damaged. */
export function readTrust(file: string): TrustDecisions {
  const damaged = `${file} is damaged, so no folder is trusted. Correct it or remove it.`;
  return new Map(Object.entries(readJson(file, schema, damaged)?.folders ?? {}));
}

/**
 * The decision that holds for a folder: its own, else a trusted parent's. The home and `/` cover
 * nothing below them. Null: the user has not decided.
 */
export function trustOf(
  decisions: TrustDecisions,
  folder: string,
  home: string,
): TrustDecision | null {
  const own = decisions.get(folder);
  if (own) return own;
  for (let at = dirname(folder); at !== home && at !== dirname(at); at = dirname(at)) {
    const decision = decisions.get(at);
    if (decision) return decision === "trusted" ? "trusted" : null;
  }
  return null;
}

/** Null forgets the folder. Throws when the file is damaged or cannot be written. */
export function saveTrust(file: string, folder: string, decision: TrustDecision | null): void {
  const decisions = new Map(readTrust(file));
  if (decision === null) decisions.delete(folder);
  else decisions.set(folder, decision);
  saveJson(file, { folders: Object.fromEntries(decisions) });
}
