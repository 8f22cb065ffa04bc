/**
 * default: reading in the workspace needs no approval, everything else does. accept-edits: nor do edits in the
 * workspace. auto: nor do commands that run confined. plan: nothing is written. bypass: no approvals. dont-ask:
 * calls that need approval are denied.
 */
export const permissionModes = [
  "default",
  "accept-edits",
  "auto",
  "plan",
  "bypass",
  "dont-ask",
] as const;

export type PermissionMode = (typeof permissionModes)[number];

/** Each mode in words for the user. */
export const modeMeanings: Record<PermissionMode, string> = {
  default: "asks before edits, and before commands that do more than read",
  "accept-edits": "edits are approved automatically",
  auto: "edits and confined commands run, and /rewind takes them back; what needs more asks",
  plan: "read-only: nothing is written, and only commands that read or check are run",
  bypass: "no approvals",
  "dont-ask": "denies calls that need approval",
};

/** Why there is no mode auto here. */
export const autoNeedsSandbox =
  "Mode auto runs commands without a question because they are confined, and this machine has no sandbox " +
  "for that (bubblewrap on Linux); edits are approved automatically instead.";
export const autoNeedsProject =
  "There is no mode auto in a folder that holds your home or your keys; edits are approved automatically instead.";

/** Claude Code's names of the modes. */
export const claudeModes = {
  default: "default",
  "accept-edits": "acceptEdits",
  auto: "auto",
  plan: "plan",
  bypass: "bypassPermissions",
  "dont-ask": "dontAsk",
} as const satisfies Record<PermissionMode, string>;

/** The mode of either name; undefined when there is none. */
export const modeNamed = (name: unknown): PermissionMode | undefined =>
  permissionModes.find((mode) => mode === name || claudeModes[mode] === name);
