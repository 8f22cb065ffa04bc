import { realpathSync } from "node:fs";
import os from "node:os";
import { join, resolve, sep } from "node:path";
import { attempt } from "../base/guards.ts";
import type { Environment } from "../base/environment.ts";
import { UsageError } from "./usage-error.ts";

export type Paths = ReturnType<typeof pathsFor>;

/** Where everything is stored. Folders are created when first needed, with mode 0700. */
export function pathsFor(env: Environment, cwd: string) {
  const home = findHome(env);
  const root = resolve(cwd, env["MINI_CLAUDE_HOME"] || join(home, ".mini-claude"));
  const sessions = join(root, "sessions");
  return {
    /** `MINI_CLAUDE_HOME`, else `~/.mini-claude`. */
    root,
    settings: join(root, "settings.json"),
    /** Models that the user adds. */
    models: join(root, "models.json"),
    /** Which folders the user trusts. */
    trust: join(root, "trust.json"),
    /** MCP servers and approvals by project. */
    mcp: join(root, "mcp.json"),
    /** Tokens of MCP servers that the user logged in to. */
    mcpLogins: join(root, "mcp-logins.json"),
    /** The latest version, as the registry named it. */
    update: join(root, "update.json"),
    /** Earlier prompts, for the up key. */
    history: join(root, "history.jsonl"),
    /** Holds one folder per project. */
    sessions,
    /** The opened folder. */
    cwd,
    /** Its sessions. */
    projectSessions: join(sessions, projectName(cwd)),
    /** Sessions that were exported without a name. */
    exports: join(root, "exports"),
    /** Full output of large results. */
    toolResults: join(root, "tool-results"),
    /** File contents from before a tool changed them, by hash. */
    checkpoints: join(root, "checkpoints"),
    /** Notes for the opened folder, and for every folder. */
    memory: {
      here: join(root, "memory", `${projectName(cwd)}.md`),
      everywhere: join(root, "memory", "everywhere.md"),
    },
    /** The file in which Claude Code keeps the user's MCP servers. */
    foreignServers: join(home, ".claude.json"),
    /** Settings of another agent: their hooks run here, too. */
    foreignSettings: [join(home, ".claude", "settings.json")],
    /** The user's own instructions for every project. */
    instructions: [join(root, "AGENTS.md"), join(home, ".claude", "CLAUDE.md")],
    /** Folders with the user's own rules. */
    rules: [join(home, ".claude", "rules"), join(root, "rules")],
    /** Folders with the user's definitions of subagents. */
    agents: [join(home, ".claude", "agents"), join(root, "agents")],
  };
}

/**
 * The user's home. Throws `UsageError` where neither `HOME` nor the system names one: in a container whose user has no
 * entry in /etc/passwd.
 */
export function findHome(env: Environment): string {
  const home = env["HOME"] || attempt(() => os.homedir(), "");
  if (home !== "") return home;
  throw new UsageError("HOME is not set and this user has no home folder: set HOME to a folder.");
}

/** The user's home without symlinks; the name as given if there is no such folder. */
export function realHome(env: Environment): string {
  const home = findHome(env);
  return attempt(() => realpathSync(home), home);
}

/** The end of the folder's path, for people, and a hash that tells equal names apart. */
export function projectName(cwd: string): string {
  const words = cwd.split(sep).filter((word) => word !== "");
  const slug =
    words
      .slice(-2)
      .join("-")
      .replace(/[^A-Za-z0-9._-]+/g, "_")
      .slice(-60) || "root";
  const hash = Bun.CryptoHasher.hash("sha256", cwd, "hex").slice(0, 8);
  return `${slug}-${hash}`;
}
