import type { SessionInfo } from "./catalog.ts";
import { LogError } from "./log-error.ts";

/**
 * The session of that name, else the only one whose name begins with it. Throws `LogError` when
 * there is none or more than one.
 */
export function findSession(sessions: readonly SessionInfo[], name: string): SessionInfo {
  const exact = sessions.find(({ session }) => session === name);
  if (exact) return exact;
  const matches = sessions.filter(({ session }) => name !== "" && session.startsWith(name));
  const [only] = matches;
  if (!only) throw new LogError(`No session of this folder is called “${name}”.`);
  if (matches.length > 1)
    throw new LogError(`“${name}” matches ${matches.length} sessions; use a longer prefix.`);
  return only;
}
