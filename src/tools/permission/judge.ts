/** Whether a call may run: the mode, the session's rules and what the call would do, in that order of weight. */

import { dirname } from "node:path";
import type { PermissionMode } from "../../protocol/permission.ts";
import type { Intent } from "../tool.ts";
import type { Workspace } from "../workspace.ts";
import { judgeCommand } from "./judge-command.ts";
import type { SessionRule, SessionRules } from "./rules.ts";
import { sensitivityOf, type HomeFolders } from "./sensitive.ts";

export type Verdict =
  | { verdict: "allow" }
  /** `rule`: what "yes for this session" would set; null: it is asked every time. */
  | { verdict: "ask"; warning: string | null; rule: SessionRule | null }
  | { verdict: "refuse"; reason: string };

export type Situation = {
  mode: PermissionMode;
  rules: SessionRules;
  workspace: Workspace;
  folders: HomeFolders;
  tool: string;
  /** Where a command would start. */
  cwd: string;
};

export const allow: Verdict = { verdict: "allow" };

export const planRefusal =
  "Plan mode: nothing is written or run. Look around, then describe what you would do; the person " +
  "leaves plan mode when the plan is right.";

export async function judge(access: Intent["access"], now: Situation): Promise<Verdict> {
  switch (access.kind) {
    case "none":
      return allow;
    case "read":
      return judgeRead(access.path, now);
    case "write":
      return judgeWrite(access.path, now);
    case "command":
      return judgeCommand(access.command, now);
    default:
      return access satisfies never;
  }
}

function judgeRead(path: string, now: Situation): Verdict {
  const outside = now.workspace.areaOf(path) === "outside";
  const secret = sensitivityOf(path, now.folders) === "secret";
  if (now.mode === "bypass" || (!outside && !secret)) return allow;
  if (secret) return { verdict: "ask", warning: "This file may hold secrets.", rule: null };
  if (now.rules.coversPath("read", now.tool, path)) return allow;
  const folder = dirname(path);
  const rule = { kind: "folder", does: "read", tool: now.tool, folder } as const;
  return { verdict: "ask", warning: "This is outside the workspace.", rule };
}

function judgeWrite(path: string, now: Situation): Verdict {
  if (now.mode === "plan") return { verdict: "refuse", reason: planRefusal };
  const area = now.workspace.areaOf(path);
  if (area === "outside" || area === "results") {
    return {
      verdict: "refuse",
      reason:
        `${path} is outside the workspace ${now.workspace.root}; files are written only in it and in ` +
        "folders that were added at the start.",
    };
  }
  if (now.mode === "bypass") return allow;
  const sensitivity = sensitivityOf(path, now.folders);
  if (sensitivity !== null) return { verdict: "ask", warning: warnings[sensitivity], rule: null };
  if (now.mode === "accept-edits" || now.rules.coversPath("write", now.tool, path)) return allow;
  const folder = dirname(path);
  const rule = { kind: "folder", does: "write", tool: now.tool, folder } as const;
  return { verdict: "ask", warning: null, rule };
}

const warnings = {
  secret: "This file may hold secrets.",
  effect: "Programs act on this file by themselves.",
} as const;
