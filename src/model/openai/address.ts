/** The address of a server of OpenAI's kind, in the forms in which people paste it. */

import { parseAddress } from "../network.ts";

/** At the end of an address that was copied from an example. */
const callPath = /\/(?:chat\/completions|responses|models|chat)$/;

/** The path of a call. */
type Call = "chat/completions" | "responses";

type ServerAddress = {
  /** For the screen. */
  shown: string;
  hostname: string;
  /** Without the path of a call. */
  base(): string;
  at(path: string): string;
  /** The call that the address itself names. */
  names: Call | null;
  /** After a 404: switches to the next candidate address; false if none is left. */
  tryNext(): boolean;
  /** The server answered at the current address. */
  confirm(): void;
};

/**
 * Takes an address as it is, except for the path of the call at its end. Where neither a version nor a
 * path is given, `/v1` is tried first; where a path without version is given, the path alone.
 */
export function openAiAddress(given: string): ServerAddress {
  const { url, shown, hostname } = parseAddress(given);
  const query = URL.parse(given)?.search ?? "";
  const [, names = null] = /\/(chat\/completions|responses)$/.exec(url) ?? [];
  const bare = url.replace(callPath, "");
  const bases = candidates(bare, names !== null);
  const trim = (text: string): string => text.replace(callPath, "");
  let current = 0;
  let isSure = bases.length === 1;
  return {
    // The name by which the server is known does not change when another place is found.
    shown: candidates(trim(shown), names !== null)[0] ?? shown,
    hostname,
    base: () => bases[current] ?? bare,
    at: (path) => `${bases[current] ?? bare}/${path}${query}`,
    names: names === "responses" || names === "chat/completions" ? names : null,
    tryNext() {
      current = isSure ? current : (current + 1) % bases.length;
      return !isSure && current !== 0;
    },
    confirm: () => void (isSure = true),
  };
}

function candidates(base: string, isComplete: boolean): string[] {
  if (isComplete) return [base];
  const path = URL.parse(base)?.pathname.replace(/\/$/, "") ?? "";
  if (path === "") return [`${base}/v1`, base];
  if (/\/v\d+$/.test(path)) return [base, base.replace(/\/v\d+$/, "")];
  return [base, `${base}/v1`];
}
