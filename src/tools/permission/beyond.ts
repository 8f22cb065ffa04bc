/** Access beyond the sandbox that the model asks for, besides what the command evidently needs. */

import type { Access } from "../tool.ts";
import { holds } from "../workspace.ts";
import { listed } from "../../base/in-words.ts";
import { findSensitivity, type HomeFolders } from "./sensitive.ts";
import type { Situation } from "./verdict.ts";

export type CommandAccess = Extract<Access, { kind: "command" }>;

/** In words; null when it asks for nothing that the settings do not allow anyway. */
export function beyondInWords(
  { hosts = [], writable = [] }: CommandAccess,
  { rules, workspace }: Situation,
): string | null {
  const asked = hosts.filter((host) => rules.forConnection(host) !== "allow");
  const words = [
    ...(asked.length > 0 ? [`reaching ${listed(asked)}`] : []),
    ...(writable.length > 0
      ? [`writing to ${listed(writable.map((path) => workspace.show(path)))}`]
      : []),
  ];
  return words.length === 0 ? null : words.join(", ");
}

/** System folders, and folders with sockets of other programs. */
const system =
  /^\/(?:$|(?:bin|boot|dev|etc|lib\w*|proc|run|sbin|sys|usr|var\/run|System|Library)(?:\/|$)|(?:tmp|var|var\/tmp|home|Users|opt|srv|mnt|media)$)/;

/** A sentence when a path can never be made writable; `path`: absolute, without symlinks. */
export function whyNeverWritable(path: string, { folders, workspace }: Situation): string | null {
  const isTooMuch =
    system.test(path) ||
    [folders.home, workspace.root, folders.own].some((kept) => holds(path, kept)) ||
    holds(folders.own, path);
  return isTooMuch
    ? `${path} is too broad to be writable in the sandbox; name only what the command writes to.`
    : null;
}

/** A warning for the question. */
export function warningOfWritable(paths: readonly string[], folders: HomeFolders): string | null {
  const kinds = paths.map((path) => findSensitivity(path, folders));
  if (kinds.includes("secret")) return "It may change files that hold secrets.";
  return kinds.includes("effect")
    ? "Other programs run the files that it may change, or read settings from them."
    : null;
}
