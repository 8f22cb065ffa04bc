/**
 * default: reading in the workspace needs no approval, everything else does. accept-edits: edits in
 * the workspace need none either. plan: nothing is written or run. bypass: no approvals.
 */
export const permissionModes = ["default", "accept-edits", "plan", "bypass"] as const;

export type PermissionMode = (typeof permissionModes)[number];
