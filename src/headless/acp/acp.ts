/** `mini-claude acp`: sessions for an editor. */

import { parseFlags } from "../../config/flags.ts";
import type { SubcommandIo } from "../../config/subcommands.ts";
import { onSignals } from "../../base/signals.ts";

export const help = `mini-claude acp [flags]   serve an editor over the Agent Client Protocol

Takes the flags of a run, such as --model, --permission-mode and --trust: see mini-claude --help.
`;

/** Takes the flags of a run, too. Returns the exit code. */
export async function run(args: readonly string[], { env, cwd }: SubcommandIo): Promise<number> {
  const flags = parseFlags(args);
  const { serveAcp } = await import("./serve.ts");
  const writer = Bun.stdout.writer();
  const output = new WritableStream<Uint8Array>({
    async write(chunk) {
      writer.write(chunk);
      await writer.flush();
    },
  });
  const leaving = new AbortController();
  let code = 0;
  onSignals((asked) => {
    code = asked;
    leaving.abort();
  });
  const streams = { input: Bun.stdin.stream(), output };
  await serveAcp({ flags, env, cwd }, streams, leaving.signal);
  return code;
}
