import { plainLine } from "./json.ts";

/** What became of a file, as data. */
export type ImportResult = {
  file: string;
  /**
   * updated: it had grown since an earlier import. known: it had not. passed over: it is none that
   * was asked for. failed: it could not be read or written.
   */
  status: "imported" | "updated" | "known" | "passed over" | "failed";
  /** Why, in a sentence without its full stop; empty where there is nothing to say. */
  reason: string;
  agent?: string;
  /** The other agent's id. */
  id?: string;
  /** Ours. */
  session?: string;
  log?: string;
  cwd?: string;
  title?: string;
  entries?: number;
  leftOut?: [kind: string, count: number][];
};

/** For machines; also a terminal may show it, so that what could steer one is escaped. */
export const jsonOf = (outcome: ImportResult): string =>
  JSON.stringify(outcome).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (sign) =>
    Array.from({ length: sign.length }, (_, at) => sign.charCodeAt(at))
      .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
      .join(""),
  );

/** Kinds that are named on a line. */
const mostKinds = 6;

/** One line for a person. Everything in it that strangers wrote is made plain. */
export function lineOf(outcome: ImportResult): string {
  const { status, file, session, entries, agent, title, cwd, reason, leftOut } = outcome;
  if (session === undefined) return `${status}  ${plainLine(file, 200)}: ${plainLine(reason, 300)}`;
  const parts = [status, session];
  if (entries !== undefined) parts.push(`${entries} entries`);
  parts.push(agent ?? "", `“${plainLine(title ?? "", 60)}”`, plainLine(cwd ?? "", 120));
  const left = leftOut && leftOut.length > 0 ? [`left out: ${kindsOf(leftOut)}`] : [];
  return [parts.filter((part) => part !== "").join("  "), plainLine(reason, 300), ...left]
    .filter((part) => part !== "")
    .join("; ");
}

function kindsOf(leftOut: [string, number][]): string {
  const named = leftOut.slice(0, mostKinds).map(([kind, count]) => `${count} ${kind}`);
  const rest = leftOut.slice(mostKinds).reduce((sum, [, count]) => sum + count, 0);
  return [...named, ...(rest > 0 ? [`${rest} of other kinds`] : [])].join(", ");
}

/** How it went, in one line: how many of each, and why files were passed over. */
export function sumOf(outcomes: readonly ImportResult[]): string {
  const counts = new Map<string, number>();
  for (const { status, reason } of outcomes) {
    const key = status === "passed over" ? `passed over because ${plainLine(reason)}` : status;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const done = [...counts].sort(([a], [b]) => Number(isPassed(a)) - Number(isPassed(b)));
  return done.map(([what, count]) => `${count} ${what}`).join(", ");
}

const isPassed = (what: string): boolean => what.startsWith("passed over");
