/** A session's instructions and memory, and the instructions of subfolders once a file there is touched. */

import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import type { Flags } from "../../config/flags.ts";
import { type Paths, realHome } from "../../config/paths.ts";
import type { HookRegistry } from "../hooks/registry.ts";
import { findFilePath } from "../../protocol/block.ts";
import type { ContextFact, Entry, Fact } from "../../protocol/entry.ts";
import type { Environment } from "../../base/environment.ts";
import {
  type InstructionRule,
  findInstructions,
  findRules,
  instructionsBelow,
  rulesAbout,
} from "./instructions.ts";
import type { TrustedProject } from "../../trust/project/project.ts";
import { readMemory } from "./memory.ts";

type SessionSources = {
  flags: Pick<Flags, "sources">;
  paths: Pick<Paths, "instructions" | "rules" | "memory">;
  env: Environment;
  project: TrustedProject | null;
  /** Asks the user about a file outside the project. */
  permit?: ((path: string) => Promise<boolean>) | undefined;
};

/** The instructions, and a note for each import that was left out. */
export async function readInstructions({ flags, paths, env, ...sources }: SessionSources) {
  const isOwn = flags.sources.includes("user");
  const { facts, omitted } = await findInstructions({
    ...sources,
    own: isOwn ? paths.instructions : [],
    ownRules: isOwn ? paths.rules : [],
    home: realHome(env),
  });
  const { everywhere, here } = paths.memory;
  const memory: ContextFact[] = isOwn ? await readMemory([everywhere, here]) : [];
  const notes = omitted.map((path): Fact => {
    const text = `Not imported into the instructions: ${path} is outside the project.`;
    return { type: "note", kind: "warning", text };
  });
  return { facts: [...facts, ...memory], notes };
}

/**
 * Appends the instructions of a subfolder when a file in it is first read or changed, and rules when
 * that is done to a file that they are about.
 */
export function followFiles(
  hooks: HookRegistry,
  project: TrustedProject,
  { ownRules, path }: { ownRules: readonly string[]; path: () => readonly Entry[] },
): void {
  let rules: Promise<readonly InstructionRule[]> | null = null;
  hooks.register(
    "PostToolUse",
    "Read|Edit|Write",
    async ({ tool_input, cwd }) => {
      const named = findFilePath(tool_input);
      const file = named && (await realpath(resolve(cwd, named)).catch(() => null));
      if (!file) return {};
      rules ??= findRules(ownRules, project);
      const facts = [
        ...(await instructionsBelow(project, file)),
        ...(await rulesAbout(file, await rules, project)),
      ];
      if (facts.length === 0) return {};
      const told = new Set(path().map((entry) => (entry.type === "context" ? entry.title : null)));
      return { facts: facts.filter(({ title }) => !told.has(title)) };
    },
    { source: "built-in", name: "instructions of subfolders, and rules" },
  );
}
