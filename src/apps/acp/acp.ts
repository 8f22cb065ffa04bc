/** `mini-claude acp`: sessions for an editor. */

import { parseFlags } from "../../config/flags.ts";
import type { SubcommandIo } from "../../config/subcommands.ts";
import { onUncaughtError } from "../../print/output.ts";
import { onSignals } from "../../run/leaving.ts";

export const help = `mini-claude acp [flags]   serve an editor over the Agent Client Protocol

Takes the flags of a run, such as --model, --permission-mode and --trust: see mini-claude --help.
`;

/** Takes the flags of a run, too. Returns the exit code. */
export async function run(args: readonly string[], { env, cwd }: SubcommandIo): Promise<number> {
  const flags = parseFlags(args);
  onUncaughtError();
  const { serveAcp } = await import("./serve.ts");
  const writer = Bun.stdout.writer();
  const output = new WritableStream<Uint8Array>({
    async write(chunk) {
      writer.write(chunk);
      await writer.flush();
    },
  });
  const { input, end } = openInput();
  let code = 0;
  onSignals((asked) => {
    code = asked;
    end();
  });
  await serveAcp({ flags, env, cwd }, { input, output });
  return code;
}

/** Standard input until `end` is called, as if the editor had closed the connection. */
function openInput(): { input: ReadableStream<Uint8Array>; end(): void } {
  const reader = Bun.stdin.stream().getReader();
  const input = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
  return { input, end: () => void reader.cancel() };
}
