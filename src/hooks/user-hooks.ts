import type { Settings } from "../config/settings.ts";
import type { CompactorOptions } from "../agent/compaction/compactor.ts";

type OwnHooks = Pick<CompactorOptions, "preCompact" | "postCompact">;

/** A hook that takes longer is given up. */
const mostMs = 30_000;

/**
 * The person's own commands around a compaction. `preCompact` gets the trigger in
 * MINI_CLAUDE_TRIGGER: what it prints is added to the prompt, and when it fails, what it printed is
 * the reason not to compact. `postCompact` reads the summary on its standard input.
 */
export function userHooks(
  hooks: Settings["hooks"],
  cwd: string,
  env: Record<string, string>,
): OwnHooks {
  const { preCompact, postCompact } = hooks;
  return {
    ...(preCompact === undefined
      ? {}
      : {
          async preCompact(trigger) {
            const { code, text } = await run(
              preCompact,
              cwd,
              { ...env, MINI_CLAUDE_TRIGGER: trigger },
              "",
            );
            const said = text.trim();
            if (code !== 0) return { veto: said === "" ? `it ended with exit code ${code}` : said };
            return said === "" ? {} : { instructions: said };
          },
        }),
    ...(postCompact === undefined
      ? {}
      : { postCompact: async (text) => void (await run(postCompact, cwd, env, text)) }),
  };
}

async function run(command: string, cwd: string, env: Record<string, string>, input: string) {
  const child = Bun.spawn(["bash", "-c", command], {
    cwd,
    env,
    stdin: new Blob([input]),
    stdout: "pipe",
    stderr: "ignore",
    timeout: mostMs,
  });
  const text = await child.stdout.text();
  return { code: await child.exited, text: text.slice(0, 4_000) };
}
