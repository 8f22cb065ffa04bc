/** The user's decisions about folders, and about what projects ask for, in `trust.json`. */

import { dirname } from "node:path";
import { z } from "zod";
import { errorCode } from "../../base/guards.ts";
import { readJson, saveJson } from "../../config/json-file.ts";
import { isRepository } from "./project.ts";

const schema = z.object({
  folders: z.record(z.string(), z.enum(["trusted", "untrusted"])),
  /** By folder: what it asks for, by hash. */
  asks: z.record(z.string(), z.record(z.string(), z.enum(["approved", "declined"]))).default({}),
});

type Approvals = ReadonlyMap<string, "approved" | "declined">;

export type TrustDecision = "trusted" | "untrusted";

/** By folder: absolute, without symlinks. */
type TrustDecisions = ReadonlyMap<string, TrustDecision>;

/** Throws with a sentence when the file is damaged. */
export function readTrust(file: string): TrustDecisions {
  return new Map(Object.entries(readAll(file).folders));
}

/** Throws with a sentence when the file is damaged. */
function readAll(file: string): z.infer<typeof schema> {
  const damaged = `${file} is damaged, so no folder is trusted. Correct it or remove it.`;
  try {
    return readJson(file, schema, damaged) ?? { folders: {}, asks: {} };
  } catch (error) {
    const code = errorCode(error);
    if (code === "") throw error;
    throw new Error(
      `${file} cannot be read (${code}), so no folder is trusted. Correct its permissions or remove it.`,
    );
  }
}

/** The user's decisions about a project's requests. */
export const readApprovals = (file: string, root: string): Approvals =>
  new Map(Object.entries(readAll(file).asks[root] ?? {}));

/** Adds decisions to those about a project. Throws like `saveTrust`. */
export function saveApprovals(file: string, root: string, decisions: Approvals): void {
  const all = readAll(file);
  const known = all.asks[root] ?? {};
  const asks = { ...all.asks, [root]: { ...known, ...Object.fromEntries(decisions) } };
  saveJson(file, { ...all, asks });
}

/**
 * The decision that holds for a folder: its own, else a trusted parent's. The home and `/` cover
 * nothing below them. Null: the user has not decided.
 */
export function findDecision(
  decisions: TrustDecisions,
  folder: string,
  home: string,
): TrustDecision | null {
  const own = decisions.get(folder);
  if (own) return own;
  // It may have been cloned there since: a repository needs an answer of its own.
  if (isRepository(folder)) return null;
  for (let at = dirname(folder); at !== home && at !== dirname(at); at = dirname(at)) {
    const decision = decisions.get(at);
    if (decision) return decision === "trusted" ? "trusted" : null;
  }
  return null;
}

/** Null forgets the folder. Throws when the file is damaged or cannot be written. */
export function saveTrust(file: string, folder: string, decision: TrustDecision | null): void {
  const { folders, asks } = readAll(file);
  const decisions = new Map(Object.entries(folders));
  if (decision === null) {
    decisions.delete(folder);
    delete asks[folder];
  } else decisions.set(folder, decision);
  saveJson(file, { folders: Object.fromEntries(decisions), asks });
}

/** Identifies what a project asks for by its content: what has changed is asked about again. */
export const hashOf = (...value: readonly unknown[]): string =>
  new Bun.CryptoHasher("sha256").update(JSON.stringify(value)).digest("hex");
