import { expect, test } from "bun:test";
import { findBash } from "../../src/base/find-bash.ts";

/** Windows with these programs on the PATH, and these files. */
const windows = (programs: Record<string, string>, files: readonly string[]) => ({
  platform: "win32" as const,
  which: (name: string) => programs[name] ?? null,
  exists: (path: string) => files.includes(path),
});

const ofGit = "C:\\Program Files\\Git\\bin\\bash.exe";
const ofWindows = "C:\\Windows\\System32\\bash.exe";

test("on Windows the bash is Git's, wherever it is; the one that starts Linux is none", () => {
  const git = { git: "C:\\Program Files\\Git\\cmd\\git.exe", bash: ofWindows };
  expect(findBash({}, windows(git, [ofGit]))).toBe(ofGit);
  const env = { ProgramFiles: "C:\\Program Files" };
  expect(findBash(env, windows({ bash: ofWindows }, [ofGit]))).toBe(ofGit);
  expect(findBash(env, windows({ bash: ofWindows }, []))).toBeNull();
  expect(findBash({}, windows({ bash: "D:\\msys64\\usr\\bin\\bash.exe" }, []))).toBe(
    "D:\\msys64\\usr\\bin\\bash.exe",
  );
});

test("elsewhere it is that of the PATH", () => {
  const which = (_: string, options?: { PATH?: string }) => `${options?.PATH}/bash`;
  expect(findBash({ PATH: "/opt" }, { platform: "linux", which, exists: () => false })).toBe(
    "/opt/bash",
  );
});
