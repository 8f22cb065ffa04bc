import type { LocalServer } from "../types.ts";

/** Says, when only the offline model answers, what that is and how to connect a better one. */
export function providerNotice(servers: readonly LocalServer[]): string {
  const running = servers.map(({ name, models }) => `${name} (${models[0]})`).join(" and ");
  const better =
    running === ""
      ? "For a real one paste a key in /connect, or set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL or OPENAI_BASE_URL for a server of your own."
      : `Running here: ${running}; /connect switches.`;
  return `The built-in offline model answers: not a language model, but rules that search, read and edit files and run commands. ${better}`;
}
