/**
 * A project's requests: hooks, rules that allow, MCP servers, and commands that use tools without
 * approval. Each holds once the user approved it, and is asked about again when it has changed.
 */

import { lstat } from "node:fs/promises";
import { basename, join } from "node:path";
import { z } from "zod";
import { parseJsonc } from "../../base/guards.ts";
import { isMissing, textOfRegular } from "../../base/regular-file.ts";
import { inOneLine } from "../../base/escape-terminal.ts";
import { once } from "../../base/once.ts";
import type { Paths } from "../../config/paths.ts";
import { statusLineSchema } from "../../config/schema.ts";
import { projectSettings } from "../rules/project-rules.ts";
import { foldersBetween } from "../../tools/workspace.ts";
import {
  findPromptFiles,
  hashPrompt,
  shellCommands,
} from "../../extensions/commands/prompt-files.ts";
import {
  hashOfHook,
  hookWords,
  parseHooks,
  type SettingsHook,
} from "../../extensions/hooks/settings.ts";
import {
  projectServers,
  serversFile,
  shownConfig,
  stateFile,
} from "../../extensions/mcp/config.ts";
import type { Project } from "./project.ts";
import { hashStatusLine } from "../../extensions/status-line.ts";
import { hashOf, readApprovals, saveApprovals } from "./project.ts";

export type ProjectAsk = {
  kind: "hook" | "rule" | "server" | "tools";
  /** One line for the user. */
  text: string;
  hash: string;
  /** The name and the configuration of a server. */
  server?: { name: string; config: Parameters<ReturnType<typeof stateFile>["approve"]>[2] };
};

const maxBytes = 256 * 1024;

/** Rule lists are checked strictly: a malformed deny list must not be dropped silently. */
const schema = once(() => {
  const texts = z.array(z.string()).default([]);
  return z.looseObject({
    hooks: z.record(z.string(), z.unknown()).optional().catch(undefined),
    statusLine: statusLineSchema.optional().catch(undefined),
    permissions: z.looseObject({ allow: texts, ask: texts, deny: texts }).prefault({}),
  });
});

type OpenedProject = Pick<Project, "root" | "folder">;

/** The project's settings files that can be read. */
async function readSettings({ root, folder }: OpenedProject) {
  const files = foldersBetween(root, folder).flatMap((at) =>
    projectSettings.map((name) => ({ at, source: join(at, name) })),
  );
  const texts = await Promise.all(files.map(({ source }) => textOfRegular(source, maxBytes)));
  return files.flatMap((file, index) => {
    const read = schema().safeParse(parseJsonc(texts[index] ?? "")).data;
    return read ? [{ ...file, read }] : [];
  });
}

/** Every request of the project, approved or not. */
export async function projectAsks(
  { root, folder }: OpenedProject,
  own: string,
): Promise<ProjectAsk[]> {
  const asks: ProjectAsk[] = [];
  for (const { source, at, read } of await readSettings({ root, folder })) {
    const origin = { source, folder: at, isProject: true };
    const { hooks } = parseHooks({ hooks: read.hooks ?? {}, ...origin });
    asks.push(...hooks.map(hookAsk));
    if (read.statusLine) asks.push(statusLineAsk(read.statusLine.command));
    asks.push(...read.permissions.allow.map((rule) => ruleAsk(rule)));
  }
  for (const [name, config] of await projectServers({ root, folder })) {
    asks.push({
      kind: "server",
      text: `MCP server ${name}: ${shownConfig({ config, scope: "project" })}`,
      hash: hashOf("server", name, config),
      server: { name, config },
    });
  }
  const homes = { home: "/", own, results: own };
  const project = { root, cwd: folder, homes };
  for (const kind of ["command", "skill"] as const)
    for (const file of await findPromptFiles(kind, { home: null, ownFolder: own, project })) {
      if (!file.isProject || file.allowedTools.length === 0) continue;
      const runs = shellCommands(file.body);
      const first = runs.length === 0 ? "" : ` runs ${runs.join("; ")}, and`;
      const text = `/${file.name}${first} uses without asking: ${file.allowedTools.join(", ")}`;
      asks.push({ kind: "tools", text, hash: hashPrompt(file) });
    }
  return asks.map((ask) => ({ ...ask, text: inOneLine(ask.text) }));
}

/** A sentence for each settings file of the project that exists but cannot be used. */
export async function unusableFiles({ root, folder }: OpenedProject): Promise<string[]> {
  const files = foldersBetween(root, folder).flatMap((at) =>
    [...projectSettings, serversFile].map((name) => join(at, name)),
  );
  const found = await Promise.all(
    files.map(async (file) => ((await isUsable(file)) ? [] : [file])),
  );
  return found
    .flat()
    .map(
      (file) =>
        `${file} is not a regular file of at most ${maxBytes / 1024} KB with a JSON object whose rules are lists of ` +
        "texts, so what it holds is not active. Correct it and start again.",
    );
}

/** True for a missing or empty file, which asks for nothing. */
async function isUsable(file: string): Promise<boolean> {
  const text = await textOfRegular(file, maxBytes);
  if (text === null)
    return lstat(file).then(
      () => false,
      (error: unknown) => isMissing(error),
    );
  // A damaged file of servers is reported with the servers.
  if (text.trim() === "" || basename(file) === serversFile) return true;
  return schema().safeParse(parseJsonc(text)).success;
}

/** Rules that the project allows and the user approved. */
export async function approvedRules(project: Project): Promise<string[]> {
  const { isTrusted, approves } = project;
  if (!isTrusted) return [];
  return (await readSettings(project))
    .flatMap(({ read }) => read.permissions.allow)
    .filter((rule) => approves?.(ruleAsk(rule).hash) !== false);
}

const hookAsk = (hook: SettingsHook): ProjectAsk => ({
  kind: "hook",
  text: `hook ${hook.event}${hook.matcher ? ` (${hook.matcher})` : ""}: ${hookWords(hook)}`,
  hash: hashOfHook(hook),
});

const statusLineAsk = (command: string): ProjectAsk => ({
  kind: "hook",
  text: `status line: ${command}`,
  hash: hashStatusLine(command),
});

const ruleAsk = (rule: string): ProjectAsk => ({
  kind: "rule",
  text: `allow ${rule}`,
  hash: hashOf("rule", rule),
});

/** The requests that are still undecided. */
export async function pendingAsks(
  project: OpenedProject,
  paths: TrustPaths,
): Promise<ProjectAsk[]> {
  const decided = readApprovals(paths.trust, project.root);
  const state = stateFile(paths.mcp);
  const asks = await projectAsks(project, paths.root);
  return asks.filter(({ hash, server }) => {
    if (server && state.isApproved(project.root, server.name, server.config)) return false;
    return decided.get(hash) === undefined;
  });
}

type TrustPaths = Pick<Paths, "trust" | "mcp" | "root">;

/** Throws with a sentence when a decision cannot be saved. */
export function decideAsks(
  root: string,
  asks: readonly ProjectAsk[],
  isApproved: boolean,
  paths: TrustPaths,
): void {
  if (asks.length === 0) return;
  const decision = isApproved ? "approved" : "declined";
  const decided = new Map<string, typeof decision>();
  for (const { hash, server } of asks)
    if (isApproved && server) stateFile(paths.mcp).approve(root, server.name, server.config);
    else decided.set(hash, decision);
  saveApprovals(paths.trust, root, decided);
}
