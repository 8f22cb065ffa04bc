/** Which folders' files the user trusts: `trust.json`. */

import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { saveJson } from "../config/save-json.ts";

const schema = z.object({ folders: z.record(z.string(), z.enum(["trusted", "untrusted"])) });

export type TrustDecision = "trusted" | "untrusted";

/** By folder: absolute, without symlinks. */
type TrustDecisions = ReadonlyMap<string, TrustDecision>;

/** Throws with a sentence when the file is damaged. */
export function readTrust(file: string): TrustDecisions {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return new Map();
    throw error;
  }
  const parsed = schema.safeParse(jsonOf(text));
  if (parsed.success) return new Map(Object.entries(parsed.data.folders));
  throw new Error(`${file} is damaged, so no folder is trusted. Correct it or remove it.`);
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

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
