/** Judges whether a call may run, by the rules, the permission mode and the effects of the call. */

import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import { attempt } from "../base/guards.ts";
import type { Access } from "../tools/tool.ts";
import { isLocalHost, withoutPort } from "../tools/web/address.ts";
import { changesEffects, isSecret } from "./files/sensitive.ts";
import {
  allow,
  ask,
  denied,
  planRefusal,
  refuse,
  type Situation,
  type Verdict,
} from "./verdict.ts";

export async function judge(access: Access, now: Situation): Promise<Verdict> {
  switch (access.kind) {
    case "none":
    case "note":
      return judgeTool(access.kind, now);
    case "external":
      return judgeTool("external", { ...now, tool: access.tool ?? now.tool });
    case "fetch":
      return judgeFetch(access.host, now);
    case "read":
      return judgeRead(access.path, now);
    case "write":
      return judgeWrite(access.path, now);
    case "command": {
      // Loaded when a command is judged, not when the program starts.
      const { judgeCommand } = await import("./judge-command.ts");
      return judgeCommand(access, now);
    }
    default:
      return access satisfies never;
  }
}

/** Judges by the tool alone. "external": unknown effects. "note": affects later sessions, so each note asks. */
function judgeTool(kind: "none" | "external" | "note", { rules, tool, mode }: Situation): Verdict {
  const ruling = rules.forTool(tool);
  if (ruling === "deny") return denied({ rules });
  if (kind === "note" && mode === "plan") return refuse(planRefusal);
  if (mode === "bypass" || ruling === "allow" || (kind === "none" && ruling === null)) return allow;
  return ask(null, kind === "external" && ruling !== "ask" ? { kind: "tool", tool } : null);
}

/** The URL alone can leak data, so each host needs approval once. */
function judgeFetch(host: string, { rules, tool, mode }: Situation): Verdict {
  const ruling = rules.forHost(tool, host);
  if (ruling === "deny") return denied({ rules });
  if (mode === "bypass") return allow;
  const isLocal = isLocalHost(withoutPort(host));
  if (ruling === "allow" && (!isLocal || rules.namesHost(tool, host))) return allow;
  if (isLocal) return ask("This address is on your own machine or network.", null);
  return ask(null, ruling === "ask" ? null : { kind: "host", host });
}

function judgeRead(path: string, now: Situation): Verdict {
  const ruling = now.rules.forPath("read", now.tool, path);
  if (ruling === "deny") return denied(now);
  if (now.mode === "bypass") return allow;
  if (isSecret(path, now.folders)) return ask("This file may hold secrets.", null);
  if (ruling === "ask") return ask(null, null);
  if (ruling === "allow" || now.workspace.areaOf(path) !== "outside") return allow;
  return ask("This is outside the workspace.", {
    kind: "folder",
    does: "read",
    folder: isFolder(path) ? path : dirname(path),
  });
}

/** Searches pass a folder: approval then covers that folder, not its siblings. */
const isFolder = (path: string): boolean => attempt(() => lstatSync(path).isDirectory(), false);

function judgeWrite(path: string, now: Situation): Verdict {
  const ruling = now.rules.forPath("write", now.tool, path);
  if (ruling === "deny") return denied(now);
  if (now.mode === "plan") return refuse(planRefusal);
  const area = now.workspace.areaOf(path);
  if (area === "outside" || area === "results") {
    return refuse(
      `${path} is outside the workspace ${now.workspace.root}; files can be written only there and in ` +
        "folders that were added at startup. Put temporary files into the workspace.",
    );
  }
  if (now.mode === "bypass" || (area === "temporary" && ruling !== "ask")) return allow;
  if (isSecret(path, now.folders)) return ask("This file may hold secrets.", null);
  if (changesEffects(path, now.folders))
    return ask("Other programs run this file or read settings from it.", null);
  if (ruling === "ask") return ask(null, null);
  if (ruling === "allow" || now.mode === "accept-edits" || now.mode === "auto") return allow;
  return ask(null, { kind: "folder", does: "write", folder: dirname(path) });
}
