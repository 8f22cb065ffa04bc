/** The verdict on a call, and the facts that it depends on. */

import type { PermissionMode } from "../protocol/permission.ts";
import type { Execution } from "../tools/tool.ts";
import type { Workspace } from "../tools/workspace.ts";
import type { Rules, SessionRule } from "./rules/rules.ts";
import type { HomeFolders } from "./files/sensitive.ts";

export type Verdict =
  | { verdict: "allow"; execution?: Execution }
  /** `rule`: added by "yes for this session"; null: not offered, so the call asks every time. */
  | {
      verdict: "ask";
      warning: string | null;
      rule: SessionRule | null;
      /** Sandbox and network of the command, once approved. */
      execution?: Execution;
      /** Requested access beyond the sandbox, as text. */
      access?: string;
    }
  | { verdict: "refuse"; reason: string };

export type Situation = {
  mode: PermissionMode;
  rules: Rules;
  workspace: Pick<Workspace, "root" | "added" | "areaOf" | "show">;
  folders: HomeFolders;
  tool: string;
  /** Working folder of a command. */
  cwd: string;
  /** A system proxy is set, behind which hosts cannot be told apart. */
  usesProxy?: boolean;
  /** Commands can be confined on this machine. */
  sandbox(): Promise<boolean>;
  /** Files and folders at, below or above `paths` that a rewind could not restore. Absent: unknown. */
  notRestorable?(paths: readonly string[]): Promise<readonly string[]>;
};

export const allow: Verdict = { verdict: "allow" };

export const planRefusal =
  "Plan mode: nothing is written, and only commands that read or check are run. Explore, then say what you " +
  "would do.";

export const refuse = (reason: string): Verdict => ({ verdict: "refuse", reason });

export const ask = (warning: string | null, rule: SessionRule | null): Verdict => ({
  verdict: "ask",
  warning,
  rule,
});

/** Unattended: calls that need approval are refused. */
export const withoutAsking = (verdict: Verdict): Verdict =>
  verdict.verdict === "ask"
    ? refuse(
        "This call needs approval, which this mode never asks for. Continue without it, or say what you would do.",
      )
    : verdict;

/** Refusal that names the rule which the last lookup in `rules` matched. */
export const denied = ({ rules }: Pick<Situation, "rules">): Verdict =>
  refuse(
    `The rule ${rules.deniedBy} of the settings denies this. Continue without it and say at the end what is missing; do not try to do it another way.`,
  );
