/** What a client can ask of a run. */

import { z } from "zod";
import { clip } from "../protocol/clip.ts";
import { modeNamed, type PermissionMode, permissionModes } from "../protocol/permission.ts";
import type { ControlRequest } from "./lines.ts";

/** The run, as a client sees it. */
export type Controlled = {
  /** The answer to `initialize`. */
  describe(): object;
  /** Stops the turn; returns the names of the messages that still wait. */
  stop(): string[];
  setMode(mode: PermissionMode): void;
  /** Null: the default. */
  setModel(model: string | null): void;
  /** A limit for thinking; null: the default. */
  setThinkingTokens(tokens: number | null): void;
  /** Puts files back to what they were at a message of the user. */
  rewindFiles(message: string, isPreview: boolean): Promise<object>;
  models(): object[];
  mcpServers(): object[];
  /** Reconnects an MCP server. Throws with a sentence. */
  reconnect(server: string): Promise<void>;
  /** A message of an MCP server that runs in the client. */
  receive(server: string, message: unknown): void;
  contextUsage(): object;
  settings(): object;
  cost(): object;
  rename(title: string): void;
  /** `bypass` was allowed at the start. */
  mayBypass: boolean;
};

/** Characters of a title. */
const titleChars = 60;

/** The first line that is not blank. */
function titleOf(description: string): string {
  const lines = description.split("\n").map((line) => line.replace(/\s+/g, " ").trim());
  return clip(lines.find((line) => line !== "") ?? "", titleChars);
}

/** The body of the response. Throws with a sentence for what cannot be done. */
export async function answerRequest(
  request: ControlRequest["request"],
  run: Controlled,
): Promise<object> {
  switch (request.subtype) {
    case "initialize":
      return run.describe();
    case "interrupt":
      return { still_queued: run.stop() };
    case "set_permission_mode": {
      const mode = modeNamed(request["mode"]);
      if (!mode) throw new Error(`The mode must be one of ${permissionModes.join(", ")}.`);
      if (mode === "bypass" && !run.mayBypass)
        throw new Error("bypassPermissions needs --allow-dangerously-skip-permissions at startup.");
      run.setMode(mode);
      return { mode: request["mode"] };
    }
    case "set_model": {
      const model = z.string().nullish().parse(request["model"]) ?? null;
      run.setModel(model);
      return { model };
    }
    case "set_max_thinking_tokens":
      run.setThinkingTokens(z.number().nullish().parse(request["max_thinking_tokens"]) ?? null);
      return {};
    case "rewind_files":
      return run.rewindFiles(
        z.string().parse(request["user_message_id"]),
        z.boolean().nullish().parse(request["dry_run"]) ?? false,
      );
    case "mcp_message":
      run.receive(z.string().parse(request["server_name"]), request["message"]);
      return {};
    case "list_models":
      return { models: run.models() };
    case "mcp_reconnect":
      await run.reconnect(z.string().parse(request["serverName"]));
      return {};
    case "mcp_status":
      return { mcpServers: run.mcpServers() };
    case "get_context_usage":
      return run.contextUsage();
    case "get_settings":
      return run.settings();
    case "get_session_cost":
      return run.cost();
    case "rename_session":
      run.rename(z.string().parse(request["title"]));
      return {};
    case "generate_session_title":
      return { title: titleOf(z.string().parse(request["description"])) };
    // Nothing is shown here, so there is nothing to change.
    case "set_color":
    case "set_has_subscribers":
      return {};
    default:
      throw new Error(`mini-claude does not support the request “${request.subtype}”.`);
  }
}
