/**
 * default: reading in the workspace is free, the rest asks. accept-edits: so are edits in the
 * workspace. plan: nothing is written or run. bypass: nothing asks.
 */
export const permissionModes = ["default", "accept-edits", "plan", "bypass"] as const;

export type PermissionMode = (typeof permissionModes)[number];
