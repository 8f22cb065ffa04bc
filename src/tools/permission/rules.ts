/** What the person allowed for the session. Kept in memory only. */

import { holds } from "../workspace.ts";

export type SessionRule =
  | { kind: "folder"; does: "read" | "write"; tool: string; folder: string }
  | { kind: "prefixes"; prefixes: string[] }
  | { kind: "line"; line: string };

export class SessionRules {
  readonly #folders: Extract<SessionRule, { kind: "folder" }>[] = [];
  readonly #prefixes = new Set<string>();
  readonly #lines = new Set<string>();

  add(rule: SessionRule): void {
    switch (rule.kind) {
      case "folder":
        this.#folders.push(rule);
        return;
      case "prefixes":
        for (const prefix of rule.prefixes) this.#prefixes.add(prefix);
        return;
      case "line":
        this.#lines.add(rule.line);
        return;
      default:
        rule satisfies never;
    }
  }

  coversPath(does: "read" | "write", tool: string, path: string): boolean {
    return this.#folders.some(
      (rule) => rule.does === does && rule.tool === tool && holds(rule.folder, path),
    );
  }

  coversPrefix(prefix: string): boolean {
    return this.#prefixes.has(prefix);
  }

  coversLine(line: string): boolean {
    return this.#lines.has(line);
  }
}

export function ruleInWords(rule: SessionRule, show: (path: string) => string): string {
  switch (rule.kind) {
    case "folder": {
      const shown = show(rule.folder);
      return `${rule.tool} anywhere in ${shown === "." ? "the workspace" : shown}`;
    }
    case "prefixes":
      return `commands that begin with ${rule.prefixes.map((prefix) => `"${prefix}"`).join(" or ")}`;
    case "line":
      return "exactly this command";
    default:
      return rule satisfies never;
  }
}
