/** What follows a session on the same terminal: `/new`, `/sessions`, `/fork`, `/connect`. */

import { basename } from "node:path";
import type { Paths } from "../config/paths.ts";
import { defaultSettings } from "../config/settings.ts";
import { forkLog } from "../log/new-session.ts";
import { createLog, type LogStore, openLog } from "../log/store.ts";
import { messageOf } from "../base/in-words.ts";
import { sessionNamed } from "../config/flags.ts";
import { chooseLog } from "./run/choose-log.ts";
import type { StartOptions } from "./run/start.ts";
import type { Next } from "../ui/types.ts";

type Opened = { log: LogStore; notices: string[] };

/** Opens the next session. When that fails, the closed one is opened again, with the reason. */
export async function openNext(next: Next, closed: LogStore, paths: Paths): Promise<Opened> {
  try {
    switch (next.kind) {
      case "new":
        return { log: createLog(paths.projectSessions), notices: [] };
      case "session":
        return { log: await chooseLog(sessionNamed(next.session), paths), notices: [] };
      case "fork":
        return await fork(closed, next.title, paths);
      case "settings":
      case "server":
      case "key":
        return { log: reopen(closed, paths), notices: [] };
    }
  } catch (error) {
    return { log: reopen(closed, paths), notices: [messageOf(error)] };
  }
}

/** An empty session has no file to open. */
const reopen = (closed: LogStore, paths: Paths): LogStore =>
  closed.path.length === 0 ? createLog(paths.projectSessions) : openLog(closed.file);

async function fork(closed: LogStore, title: string, paths: Paths): Promise<Opened> {
  if (closed.path.length === 0) throw new Error("There is nothing to fork yet.");
  const log = openLog(forkLog(closed.file, closed.head, paths.projectSessions));
  if (title !== "") await log.append({ type: "note", kind: "title", text: title });
  return { log, notices: [`Forked from ${basename(closed.file, ".jsonl")}, which is unchanged.`] };
}

/** The options with what the user picked in `/connect` or `/settings`, until they quit. */
export function connected(options: StartOptions, next: Next): StartOptions {
  const { settings, env } = options;
  switch (next.kind) {
    case "settings":
      return { ...options, settings: next.settings, requestedModel: next.settings.model };
    case "server": {
      const { baseUrl, model } = next;
      return {
        ...options,
        settings: { ...settings, provider: "openai", baseUrl, model },
        requestedModel: model,
      };
    }
    case "key": {
      const { baseUrl: _, ...rest } = settings;
      // A name from a local server means nothing to Anthropic.
      const model = settings.model.startsWith("claude") ? settings.model : defaultSettings.model;
      return {
        ...options,
        settings: { ...rest, provider: "anthropic", model },
        env: { ...env, ANTHROPIC_API_KEY: next.key },
        requestedModel: model,
      };
    }
    default:
      return options;
  }
}
