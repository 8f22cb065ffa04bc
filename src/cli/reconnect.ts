import type { Next } from "../tui/types.ts";
import type { StartOptions } from "./headless.ts";

/** The start of a run with whoever the person chose to answer from now on, until they leave. */
export function reconnected(parts: StartOptions, next: Next): StartOptions {
  const { settings, env } = parts;
  switch (next.kind) {
    case "server": {
      const { baseUrl, model } = next;
      return { ...parts, settings: { ...settings, provider: "openai", baseUrl, model } };
    }
    case "key": {
      const { baseUrl: _, ...others } = settings;
      return {
        ...parts,
        settings: { ...others, provider: "anthropic" },
        env: { ...env, ANTHROPIC_API_KEY: next.key },
      };
    }
    default:
      return parts;
  }
}
