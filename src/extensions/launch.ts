/** How programs that a project brings along are started. */

/** Words, folder and environment to start it with: in the sandbox, where there is one. */
export type Launch = (
  program: readonly string[],
  how: {
    cwd: string;
    env: Record<string, string>;
    /** It may write to the workspace. */
    write: boolean;
    /** Files elsewhere that it may write. */
    writable?: readonly string[];
  },
) => Promise<{ command: string[]; cwd: string; env: Record<string, string> }>;
