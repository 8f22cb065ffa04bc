import { expect, test } from "bun:test";
import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { withEnvFile, runCommand } from "../../../src/extensions/hooks/command-hook.ts";

const options = {
  cwd: import.meta.dir,
  env: { PATH: "/usr/bin:/bin", OLD: "old", SAME: "same" },
  timeoutMs: 30_000,
  signal: new AbortController().signal,
};

/** The variables that a hook with this command sets, and the file that it got. */
async function leaves(script: string) {
  const { result, variables } = await withEnvFile(options, (env) =>
    runCommand(`echo "$CLAUDE_ENV_FILE"; ${script}`, { ...options, env, input: "" }),
  );
  expect(existsSync(result.stdout)).toBe(false);
  return variables;
}

test("variables that the script sets or changes are kept, the others are not", async () => {
  const lines = String.raw`export NEW='a "b"
c'; PLAIN=1; export OLD=new SAME=same PATH="/extra:$PATH"; cd /`;
  expect(await leaves(`cat > "$CLAUDE_ENV_FILE" <<'END'\n${lines}\nEND`)).toEqual({
    NEW: 'a "b"\nc',
    PLAIN: "1",
    OLD: "new",
    PATH: "/extra:/usr/bin:/bin",
  });
});

test("they are kept without an env that separates them by NUL", async () => {
  const lines = `env() { return 1; }; export NEW='a\nb'`;
  expect(await leaves(`cat > "$CLAUDE_ENV_FILE" <<'END'\n${lines}\nEND`)).toEqual({ NEW: "a\nb" });
});

test("the hook is given a file that is there, that only its user reads, and whose folder goes", async () => {
  const { result } = await withEnvFile(options, async ({ CLAUDE_ENV_FILE = "" }) => ({
    file: CLAUDE_ENV_FILE,
    mode: statSync(CLAUDE_ENV_FILE).mode & 0o777,
  }));
  expect(result.mode).toBe(0o600);
  expect(existsSync(dirname(result.file))).toBe(false);
});

test("nothing is kept from a hook that writes nothing; a script that fails is reported", async () => {
  expect(await leaves("true")).toEqual({});
  await expect(leaves('echo "exit 3" > "$CLAUDE_ENV_FILE"')).rejects.toThrow(
    "CLAUDE_ENV_FILE failed",
  );
});
