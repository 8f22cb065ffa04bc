/**
 * The child process of a script: our own Bun in a sandbox without files, network or environment, which can
 * start no other process. What it sends is hostile and parsed; its memory, processor time and output are
 * limited.
 */

import {
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { parseJson } from "../../base/guards.ts";
import { splitStream } from "../../base/split-stream.ts";
import { callFilter, filterArguments, filterDescriptor } from "../../trust/sandbox/call-filter.ts";
import { bubblewrapPlaces } from "../../trust/sandbox/confiner.ts";

/** Memory of a script, reserved or used. */
const memoryBytes = 1024 ** 3;

/** Seconds of processor time. */
const processorSeconds = 30;
const maxOpenFiles = 64;

/** Characters of one line from the cell: a call's input or a print. */
const maxLineChars = 10_000_000;

/** The confining program of scripts: bubblewrap, on Linux only; null: no scripts. */
export const findCell = (): string | null =>
  process.platform === "linux" ? (bubblewrapPlaces.find((path) => existsSync(path)) ?? null) : null;

const messageSchema = z.union([
  z.strictObject({
    call: z.number().int(),
    tool: z.string(),
    input: z.record(z.string(), z.unknown()),
  }),
  z.strictObject({ print: z.string() }),
  z.strictObject({ failed: z.string() }),
  z.strictObject({ done: z.literal(true) }),
]);
export type CellMessage = z.infer<typeof messageSchema>;

type CellScript = {
  code: string;
  functions: readonly { name: string; tool: string; first: string }[];
};

/** Why the cell was killed, or exited without a message. */
export class CellError extends Error {}

export type Cell = {
  /** Messages of the script, until it ends. Throws `CellError`. */
  messages(): AsyncGenerator<CellMessage, void>;
  /** Answers a call. */
  answer(reply: { call: number } & ({ text: string } | { error: string })): void;
  /** Ends it and all that it started; `messages` then throws this reason. */
  end(reason: string): void;
};

const shownAsHere = (path: string): string[] => {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return [];
  return stat.isSymbolicLink()
    ? ["--symlink", readlinkSync(path), path]
    : ["--ro-bind", path, path];
};

/** Only the files that the dynamic loader needs. */
const cellArguments = (): string[] =>
  [
    "--unshare-all --die-with-parent --new-session --cap-drop ALL --clearenv".split(" "),
    // A single program that Bun built runs scripts only when it is told to.
    "--setenv BUN_BE_BUN 1 --setenv NODE_ENV production".split(" "),
    // Without it, half as fast, and no native code can be called.
    "--setenv BUN_JSC_useJIT 0".split(" "),
    ...["/usr/lib", "/usr/lib32", "/usr/lib64", "/nix/store", "/gnu/store"].map((path) =>
      existsSync(path) ? ["--ro-bind", path, path] : [],
    ),
    ...["/lib", "/lib32", "/lib64"].map(shownAsHere),
    "--ro-bind-try /etc/ld.so.cache /etc/ld.so.cache".split(" "),
    ["--ro-bind", process.execPath, "/bun"],
    filterArguments,
    // Root could write settings of the kernel.
    "--proc /proc --ro-bind /proc/sys /proc/sys --dev /dev --remount-ro /dev --remount-ro / --chdir /".split(
      " ",
    ),
  ].flat();

/** One `ulimit` a limit: some shells take the last of several only. No file may grow. */
const limited = [
  ...[`d ${memoryBytes / 1024}`, `t ${processorSeconds}`, "f 0", "c 0", `n ${maxOpenFiles}`].map(
    (limit) => `ulimit -${limit} || exit`,
  ),
  `exec "$@" ${filterDescriptor}<&3 3<&-`,
].join("\n");

/** An open file of the refused system calls, which has no name. */
function openFilter(): number {
  const file = join(tmpdir(), `mini-claude-filter-${crypto.randomUUID()}`);
  writeFileSync(file, callFilter("cell"), { flag: "wx", mode: 0o600 });
  try {
    return openSync(file, "r");
  } finally {
    unlinkSync(file);
  }
}

export async function openCell(bubblewrap: string, script: CellScript): Promise<Cell> {
  const { default: source } = await import("./cell.js.txt", { with: { type: "text" } });
  const bun = ["/bun", "--no-env-file", "--config=/dev/null", "-e", source];
  const filter = openFilter();
  const child = Bun.spawn(
    ["/bin/sh", "-c", limited, "sh", bubblewrap, ...cellArguments(), "--", ...bun],
    { env: {}, cwd: "/", stdio: ["pipe", "pipe", "ignore", filter] },
  );
  closeSync(filter);
  let reason: string | null = null;
  const end = (why: string): void => {
    reason ??= why;
    child.kill("SIGKILL");
  };
  /** A script that no longer reads loses its answers. */
  const send = async (message: object): Promise<void> => {
    child.stdin.write(`${JSON.stringify(message)}\n`);
    await child.stdin.flush();
  };
  const answer = (message: object): void => void send(message).catch(() => undefined);
  answer(script);
  return {
    answer,
    end,
    async *messages() {
      try {
        let isDone = false;
        const tooLong = (): void => end("A message was too long.");
        const limit = { maxChars: maxLineChars, tooLong };
        for await (const line of splitStream(child.stdout, "\n", limit)) {
          const parsed = messageSchema.safeParse(parseJson(line));
          if (!parsed.success) {
            end("It wrote to standard output itself; use console.log.");
            break;
          }
          yield parsed.data;
          isDone = "done" in parsed.data || "failed" in parsed.data;
          if (isDone) break;
        }
        if (!isDone) {
          const code = await child.exited;
          const why = `The script ended early (exit code ${code}); it may have run out of memory or processor time.`;
          throw new CellError(reason ?? why);
        }
      } finally {
        child.kill("SIGKILL");
        await child.exited;
      }
    },
  };
}
