/** The files of a room and the tests that cover them. */

import { existsSync } from "node:fs";
import { join } from "node:path";

/** Tests of a room that are outside the folder of its name. */
const further: Record<string, string[]> = {
  agent: [
    "test/run/budget.test.ts",
    "test/run/folder.test.ts",
    "test/run/opening.test.ts",
    "test/run/subagents.test.ts",
  ],
  app: [
    "test/headless/headless.test.ts",
    "test/headless/known-shapes.test.ts",
    "test/headless/library",
    "test/trust/project/trust-question.test.ts",
  ],
  config: ["test/run/keys.test.ts"],
  context: [
    "test/agent/open-loop-record.test.ts",
    "test/agent/refusals.test.ts",
    "test/tools/results.test.ts",
  ],
  extensions: ["test/commands/mcp"],
  log: ["test/run/choose-log.test.ts"],
  protocol: [
    "test/config/settings-table.test.ts",
    "test/config/edit-settings.test.ts",
    "test/config/settings.test.ts",
    "test/log/read.test.ts",
  ],
  snapshots: ["test/tools/shell/undoable.test.ts"],
  ui: ["test/context/meter/panels.test.ts"],
};

/** Tests of sources that run as a process, which coverage does not see. */
export const startedSources: Record<string, string[]> = {
  "src/tools/files/pdf.ts": ["test/tools/files/documents.test.ts"],
};

const listFiles = (root: string, folder: string, pattern: string): string[] =>
  existsSync(join(root, folder))
    ? [...new Bun.Glob(pattern).scanSync(join(root, folder))].map((name) => join(folder, name))
    : [];

/** The sources of a room such as "log" or "trust". */
export const listSources = (root: string, room: string): string[] =>
  listFiles(root, join("src", room), "**/*.{ts,tsx}")
    .filter((file) => !file.endsWith(".d.ts"))
    .sort();

/** The test files of a room. */
export const listTests = (root: string, room: string): string[] =>
  [join("test", room), ...(further[room] ?? [])]
    .flatMap((path) =>
      path.endsWith(".ts") ? [path] : listFiles(root, path, "**/*.test.{ts,tsx}"),
    )
    .sort();

export const listAllTests = (root: string): string[] =>
  listFiles(root, "test", "**/*.test.{ts,tsx}").filter((file) => !file.startsWith("test/lab/"));
