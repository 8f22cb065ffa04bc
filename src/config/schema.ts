/** The settings, each declared once. */

import { z } from "zod";
import { efforts } from "../protocol/model.ts";
import { modeNamed, permissionModes } from "../protocol/permission.ts";
import { policyTable } from "../protocol/policy.ts";
import {
  defaultValues,
  isOn,
  isSetting,
  type Setting,
  settingGroup,
  type SettingTable,
  type SettingValues,
} from "../protocol/setting.ts";
import { providerNames } from "./servers.ts";

const positive = z.number().int().min(1);
const usd = z.number().positive().optional();
const byName = z.record(z.string(), z.unknown());

/** Address of a server. Anything but HTTP would fail later, with a worse message. */
export const addressSchema = z.url({
  protocol: /^https?$/,
  error: "must look like http://localhost:8080/v1",
});

/** "200000", "200k" and "1m" as numbers of tokens; any other text unchanged. */
export function parseTokens(text: string): unknown {
  const [, number, unit] = /^\s*(\d+(?:\.\d+)?)\s*([km]?)\s*$/i.exec(text) ?? [];
  if (number === undefined) return text;
  const factor = unit?.toLowerCase() === "m" ? 1_000_000 : unit ? 1_000 : 1;
  return Number(number) * factor;
}

/** As Claude Code writes it. */
export const statusLineSchema = z.looseObject({ command: z.string().min(1) });

const model = settingGroup("model");
const permissions = settingGroup("permissions");
const tools = settingGroup("tools");
const screen = settingGroup("screen");

const settingsTable = {
  model: model(z.string().min(1), "claude-sonnet-5-5", "Model used for answers.", {
    ANTHROPIC_MODEL: (text) => text,
  }),
  provider: model(
    z.enum(providerNames),
    "auto",
    "Model provider; auto: the configured key or server, else offline.",
  ),
  baseUrl: model(
    addressSchema.optional(),
    undefined,
    "Address of the model's server. Keys are never settings.",
  ),
  effort: model(
    z.enum(efforts).optional(),
    undefined,
    "Reasoning effort: a higher level thinks longer and costs more.",
  ),
  windowTokens: model(
    positive.optional(),
    undefined,
    "Size of the context window, in tokens; at most what the server reports.",
    { CLAUDE_CODE_AUTO_COMPACT_WINDOW: parseTokens },
  ),
  outputTokens: model(positive.optional(), undefined, "Longest answer, in tokens."),
  maxCalls: model(
    z.number().int().min(0),
    500,
    "Model calls after which a turn on the screen pauses until you send “continue”; 0: no limit. Runs with -p use --max-turns.",
  ),
  budget: {
    session: model(
      usd,
      undefined,
      "Spending cap of a session, in US dollars; you are asked before it is exceeded.",
    ),
    day: model(usd, undefined, "Spending cap of all sessions of a day, in US dollars."),
    project: model(usd, undefined, "Spending cap of all sessions of a project, in US dollars."),
  },
  stallMs: model(positive, 120_000, "Stream timeout, in milliseconds."),
  permissionMode: permissions(
    // Claude Code's names are accepted, too.
    z.preprocess((name) => modeNamed(name) ?? name, z.enum(permissionModes)),
    "default",
    "Permission mode: default asks before edits and commands, accept-edits only before commands other than mkdir, touch, mv and cp, auto before what leaves the sandbox, plan writes nothing, bypass never asks, dont-ask denies what would need approval.",
  ),
  permissions: {
    allow: permissions(
      z.array(z.string()),
      [],
      "Rules for what needs no approval, such as Bash(git diff:*).",
    ),
    ask: permissions(z.array(z.string()), [], "Rules for what always needs approval."),
    deny: permissions(
      z.array(z.string()),
      [],
      "Rules for what is never allowed. deny beats ask; ask beats allow.",
    ),
  },
  addDirs: permissions(z.array(z.string()), [], "Additional folders that tools may use."),
  policy: policyTable,
  transcriptDir: settingGroup("summaries")(
    z.string().optional(),
    undefined,
    "Folder for a readable copy of the transcript, written before each summary.",
  ),
  env: tools(
    z.record(z.string(), z.string()),
    {},
    "Environment variables for the agent and for its commands.",
  ),
  keepVariables: tools(
    z.array(z.string()),
    [],
    "Variables passed to sandboxed commands even if they may be secret, such as NPM_TOKEN.",
  ),
  bashTimeoutMs: tools(positive, 120_000, "Time limit of a command, in milliseconds."),
  diagnostics: tools(
    z.boolean(),
    true,
    "After an edit, language servers on this machine report new errors to the model.",
  ),
  scripts: tools(
    z.enum(["auto", "on", "off"]),
    "auto",
    "Offers the Script tool, a program that calls tools; auto: to current Claude and GPT models.",
  ),
  mcpServers: tools(byName, {}, "MCP servers for all projects; see mini-claude mcp."),
  mcpToolShare: tools(
    z.number().min(0).max(1),
    0.1,
    "Share of the window up to which MCP tool definitions are sent from the start. Above it, ToolSearch loads them; 0: all are deferred.",
  ),
  hooks: tools(byName, {}, "Shell commands that run at certain moments; /hooks lists them."),
  disableAllHooks: tools(z.boolean(), false, "Runs no hooks from settings files."),
  theme: screen(
    // The spelling of earlier versions is accepted, too.
    z.preprocess(
      (name) => (name === "colour-blind" ? "color-blind" : name),
      z.enum(["auto", "dark", "light", "none", "color-blind"]),
    ),
    "auto",
    "Colors; auto: by the terminal's background, if it can be detected.",
    { NO_COLOR: () => "none" },
  ),
  mouse: screen(
    z.boolean(),
    true,
    "The mouse scrolls and selects; when off, the terminal's own selection works.",
  ),
  keys: screen(
    z.record(z.string(), z.array(z.string())),
    {},
    'Keys by action, such as {"compact": ["ctrl-k"]}. /help lists the actions.',
  ),
  statusLine: screen(
    // A command alone, or as Claude Code writes it.
    z
      .preprocess(
        (value) => (typeof value === "string" ? { type: "command", command: value } : value),
        statusLineSchema,
      )
      .optional(),
    undefined,
    "Status line below the meter: a command that gets the meter as JSON and prints the line.",
  ),
  vim: screen(z.boolean(), false, "Vim keys in the prompt."),
  notifications: screen(
    z.boolean(),
    true,
    "Notifies you when the agent asks or has finished while you are elsewhere.",
  ),
  notifyBy: screen(
    z.enum(["bell", "osc9", "osc777"]),
    "bell",
    "How to notify you: the bell, or a notification of your terminal (OSC 9 or 777).",
  ),
  printOnExit: screen(
    z.enum(["conversation", "answer", "nothing"]),
    "conversation",
    "What stays on the terminal when you quit.",
  ),
  updateCheck: screen(
    z.boolean(),
    true,
    "Looks once a day for a newer version, where a package manager installed this one.",
  ),
  screenReader: screen(
    z.boolean(),
    false,
    "Lines with roles instead of the full screen, for screen readers.",
    { INK_SCREEN_READER: isOn },
  ),
};

export type Settings = SettingValues<typeof settingsTable>;

export const defaultSettings: Settings = defaultValues(settingsTable);

/** A setting and its place in the table. */
export type SettingAt = Setting & { path: string[] };

/** Every setting. */
export const allSettings: readonly SettingAt[] = settingsBelow(settingsTable);

function settingsBelow(table: SettingTable, above: readonly string[] = []): SettingAt[] {
  return Object.entries(table).flatMap(([name, found]) => {
    const path = [...above, name];
    return isSetting(found) ? [{ ...found, path }] : settingsBelow(found, path);
  });
}

/** A value as it was found, and where. The setting's schema decides whether it is valid. */
export type RawSettings = {
  path: string[];
  value: unknown;
  source: string;
  /** As the user wrote it, when `value` differs. */
  text?: string | undefined;
};
