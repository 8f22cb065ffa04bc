import { cleanLine } from "./json.ts";
import { kindsInWords } from "./skipped.ts";

/** The outcome for one file. */
export type ImportResult = {
  file: string;
  /**
   * updated: it has grown since an earlier import. known: it has not. skipped: it is not a session
   * to import. failed: it could not be read or written.
   */
  status: "imported" | "updated" | "known" | "skipped" | "failed";
  /** Why, as a sentence without a full stop; may be empty. */
  reason: string;
  agent?: string;
  /** The session's id in the other agent. */
  id?: string;
  /** The name of the new session. */
  session?: string;
  log?: string;
  cwd?: string;
  title?: string;
  entries?: number;
  skipped?: [kind: string, count: number][];
};

/** One line for the user. Untrusted text is made printable. */
export function formatResult(result: ImportResult): string {
  const { status, file, session, entries, agent, title, cwd, reason, skipped } = result;
  if (session === undefined) return `${status}  ${cleanLine(file, 200)}: ${cleanLine(reason, 300)}`;
  const parts = [
    status,
    session,
    entries === undefined ? "" : `${entries} entries`,
    agent ?? "",
    `“${cleanLine(title ?? "", 60)}”`,
    cleanLine(cwd ?? "", 120),
  ];
  const left = kindsInWords(skipped ?? [], 6);
  return [
    parts.filter(Boolean).join("  "),
    cleanLine(reason, 300),
    left === "" ? "" : `skipped: ${left}`,
  ]
    .filter(Boolean)
    .join("; ");
}

/** The totals in one line, with the reasons for skipped files. */
export function summarizeResults(results: readonly ImportResult[]): string {
  const counts = new Map<string, number>();
  for (const { status, reason } of results) {
    const key = status === "skipped" ? `skipped because ${cleanLine(reason)}` : status;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const isSkipped = (what: string): number => Number(what.startsWith("skipped"));
  const sorted = [...counts].sort(([a], [b]) => isSkipped(a) - isSkipped(b));
  return sorted.map(([what, count]) => `${count} ${what}`).join(", ");
}
