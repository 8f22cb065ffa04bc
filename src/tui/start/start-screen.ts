import type { KeyAction } from "../../config/keys.ts";
import type { Host } from "../host.ts";
import { homePath } from "./home-path.ts";
import { layoutStart } from "./start-lines.ts";

/** The lines above the transcript of a session in which nothing has been sent yet. */
export function startLines(host: Host, columns: number): string[] {
  const { state, options, rules, keys, theme, nowMs, folder } = host;
  if (state.path.length > 0) return [];
  const shown = (action: KeyAction, what: string): string[] => {
    const key = keys.nameOf(action);
    return key === "" ? [] : [`${key} ${what}`];
  };
  return layoutStart(
    {
      version: options.version,
      model: state.model,
      windowTokens: rules.windowTokens,
      folder: homePath(options.cwd),
      git: folder.git,
      instructions: folder.instructions,
      commands: folder.commands,
      servers: options.services.mcp?.servers().length ?? 0,
      latest: folder.latest,
      keys: [
        "? all keys",
        ...shown("context", "context"),
        ...shown("compact", "compact"),
        ...shown("mode", "mode"),
      ],
      nowMs,
    },
    columns,
    theme,
  );
}
