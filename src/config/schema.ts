/** The schema of all settings and their defaults. */

import { z } from "zod";
import { efforts } from "../protocol/model.ts";
import { modeNamed, permissionModes } from "../protocol/permission.ts";
import { defaultPolicy, policySchema } from "../protocol/policy.ts";

const positive = z.number().int().min(1);

/** Address of a server. Anything but HTTP would fail later, with a worse message. */
export const addressSchema = z.url({
  protocol: /^https?$/,
  error: "must look like http://localhost:8080/v1",
});

export const settingsSchema = z.strictObject({
  model: z.string().min(1),
  provider: z.enum(["auto", "anthropic", "openai", "offline"]),
  /** Address of the model's server. Keys are never settings. */
  baseUrl: addressSchema.optional(),
  /** Size of the context window; at most what the server reports. */
  windowTokens: positive.optional(),
  outputTokens: positive.optional(),
  /** How much work the model puts into an answer; absent: its own default. */
  effort: z.enum(efforts).optional(),
  offlineWindowTokens: z.number().int().min(4_000),
  /** Claude Code's names are accepted, too. */
  permissionMode: z.preprocess((name) => modeNamed(name) ?? name, z.enum(permissionModes)),
  /** Additional folders that tools may use. */
  addDirs: z.array(z.string()),
  /** The spelling of earlier versions is accepted, too. */
  theme: z.preprocess(
    (name) => (name === "colour-blind" ? "color-blind" : name),
    z.enum(["auto", "dark", "light", "none", "color-blind"]),
  ),
  mouse: z.boolean(),
  /** What stays on the terminal after quitting. */
  printOnExit: z.enum(["conversation", "answer", "nothing"]),
  notifications: z.boolean(),
  /** How to notify a user who looks elsewhere: the bell, or a notification escape code. */
  notifyBy: z.enum(["bell", "osc9", "osc777"]),
  /** Vim keys in the prompt. */
  vim: z.boolean(),
  /** For screen readers: plain lines on the normal screen, no boxes, no redrawing. */
  screenReader: z.boolean(),
  /** Chords by action; other actions keep their defaults. */
  keys: z.record(z.string(), z.array(z.string())),
  editor: z.string().optional(),
  /** Folder for a readable copy of the transcript, written before each summary. */
  transcriptDir: z.string().optional(),
  bashTimeoutMs: positive,
  /** Longest silence of a model's stream. */
  stallMs: positive,
  /** The user's shell commands by event; read when the first event happens. */
  hooks: z.record(z.string(), z.unknown()),
  /** No shell command of any settings file runs as a hook. */
  disableAllHooks: z.boolean(),
  /** Rules such as `Bash(git diff:*)`; what denies outranks what asks, and that what allows. */
  permissions: z.strictObject({
    allow: z.array(z.string()).default([]),
    ask: z.array(z.string()).default([]),
    deny: z.array(z.string()).default([]),
  }),
  /** After an edit, language servers on this machine report new errors to the model. */
  diagnostics: z.boolean(),
  /** MCP servers by name, for all projects; read when a session begins. */
  mcpServers: z.record(z.string(), z.unknown()),
  /** Share of the window up to which definitions of MCP tools are sent from the start. */
  mcpToolShare: z.number().min(0).max(1),
  policy: policySchema,
});

export type Settings = z.infer<typeof settingsSchema>;

export const defaultSettings: Settings = {
  model: "claude-sonnet-5-5",
  provider: "auto",
  offlineWindowTokens: 32_000,
  permissionMode: "default",
  addDirs: [],
  theme: "auto",
  mouse: true,
  printOnExit: "conversation",
  notifications: true,
  notifyBy: "bell",
  vim: false,
  screenReader: false,
  keys: {},
  bashTimeoutMs: 120_000,
  stallMs: 120_000,
  hooks: {},
  disableAllHooks: false,
  permissions: { allow: [], ask: [], deny: [] },
  diagnostics: true,
  mcpServers: {},
  mcpToolShare: 0.1,
  policy: defaultPolicy,
};
