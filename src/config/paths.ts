import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { attempt } from "../protocol/attempt.ts";
import type { Environment } from "../protocol/environment.ts";

/** Where everything is stored. Folders are created when first needed, with mode 0700. */
export type Paths = {
  /** `MINI_CLAUDE_HOME`, else `~/.mini-claude`. */
  root: string;
  settings: string;
  /** Which folders the user trusts. */
  trust: string;
  /** MCP servers and approvals by project. */
  mcp: string;
  /** Tokens of MCP servers that the user logged in to. */
  mcpLogins: string;
  /** Earlier prompts, for the up key. */
  history: string;
  /** Holds one folder per project. */
  sessions: string;
  /** The sessions of the opened folder. */
  projectSessions: string;
  /** Full output of large results. */
  toolResults: string;
  /** File contents from before a tool changed them, by hash. */
  checkpoints: string;
  /** Notes for the opened folder, and for every folder. */
  memory: { here: string; everywhere: string };
  /** Settings of another agent: their hooks run here, too. */
  foreignSettings: string[];
  /** The file in which Claude Code keeps the user's MCP servers. */
  foreignServers: string;
  /** The user's own instructions for every project. */
  instructions: string[];
  /** Folders with the user's own rules. */
  rules: string[];
  /** Folders with the user's definitions of subagents. */
  agents: string[];
};

export function pathsFor(env: Environment, cwd: string): Paths {
  const home = homeOf(env);
  const root = resolve(cwd, env["MINI_CLAUDE_HOME"] || join(home, ".mini-claude"));
  const sessions = join(root, "sessions");
  return {
    root,
    settings: join(root, "settings.json"),
    trust: join(root, "trust.json"),
    mcp: join(root, "mcp.json"),
    mcpLogins: join(root, "mcp-logins.json"),
    history: join(root, "history.jsonl"),
    sessions,
    projectSessions: join(sessions, projectName(cwd)),
    toolResults: join(root, "tool-results"),
    checkpoints: join(root, "checkpoints"),
    memory: {
      here: join(root, "memory", `${projectName(cwd)}.md`),
      everywhere: join(root, "memory", "everywhere.md"),
    },
    foreignServers: join(home, ".claude.json"),
    foreignSettings: [join(home, ".claude", "settings.json")],
    instructions: [join(root, "AGENTS.md"), join(home, ".claude", "CLAUDE.md")],
    rules: [join(home, ".claude", "rules"), join(root, "rules")],
    agents: [join(home, ".claude", "agents"), join(root, "agents")],
  };
}

const homeOf = (env: Environment): string => env["HOME"] || homedir();

/** The user's home without symlinks; as it is named where there is no such folder. */
export function realHome(env: Environment): string {
  const home = homeOf(env);
  return attempt(() => realpathSync(home), home);
}

/** The end of the folder's path, for people, and a hash that tells equal names apart. */
export function projectName(cwd: string): string {
  const words = cwd.split("/").filter((word) => word !== "");
  const slug =
    words
      .slice(-2)
      .join("-")
      .replace(/[^A-Za-z0-9._-]+/g, "_")
      .slice(-60) || "root";
  const hash = new Bun.CryptoHasher("sha256").update(cwd).digest("hex").slice(0, 8);
  return `${slug}-${hash}`;
}
