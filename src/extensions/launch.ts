/** Starts programs that a project brings along. */

/** Command, folder and environment, sandboxed if possible. */
export type Launch = (
  program: readonly string[],
  how: {
    cwd: string;
    env: Record<string, string>;
    /** Whether the workspace is writable. */
    write: boolean;
    /** Writable files outside the workspace. */
    writable?: readonly string[];
  },
) => Promise<{ command: string[]; cwd: string; env: Record<string, string> }>;
