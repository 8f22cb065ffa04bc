/**
 * The child process of a script: our own Bun in a sandbox without files, network or environment. What it
 * sends is hostile and parsed; its memory, processor time, output and number of processes are limited.
 */

import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { z } from "zod";
import { attempt, parseJson } from "../../base/guards.ts";
import { bubblewrapPlaces } from "../../trust/sandbox/confiner.ts";

/** Bytes that one process of a script may allocate, and that all of them may hold. */
const memoryBytes = 512 * 1024 ** 2;

/** Seconds of processor time. */
const processorSeconds = 30;
const maxProcesses = 4;

/** Characters of one line from the cell: a call's input or a print. */
const maxLineChars = 10_000_000;
const watchMs = 250;

/** Where a script can call tools: on Linux with bubblewrap. */
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

export type CellScript = {
  code: string;
  functions: readonly { name: string; tool: string; first: string }[];
};

/** Why the cell was ended, or ended by itself without a word. */
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

/** Only what the dynamic loader of our own program needs. */
const cellArguments = (): string[] =>
  [
    "--unshare-all --die-with-parent --new-session --cap-drop ALL --clearenv".split(" "),
    // A single program that Bun built runs scripts only when it is told to.
    "--setenv BUN_BE_BUN 1 --setenv NODE_ENV production".split(" "),
    ...["/usr/lib", "/usr/lib32", "/usr/lib64", "/nix/store", "/gnu/store"].map((path) =>
      existsSync(path) ? ["--ro-bind", path, path] : [],
    ),
    ...["/lib", "/lib32", "/lib64"].map(shownAsHere),
    "--ro-bind-try /etc/ld.so.cache /etc/ld.so.cache".split(" "),
    ["--ro-bind", process.execPath, "/bun"],
    "--proc /proc --dev /dev --remount-ro /dev --remount-ro / --chdir /".split(" "),
  ].flat();

// No file may grow: what is in memory only counts as memory.
const limits = `ulimit -d ${memoryBytes / 1024} -t ${processorSeconds} -f 0 -c 0; exec "$@"`;

export async function openCell(bubblewrap: string, script: CellScript): Promise<Cell> {
  const { default: source } = await import("./cell.js.txt", { with: { type: "text" } });
  const bun = ["/bun", "--no-env-file", "--config=/dev/null", "-e", source];
  const child = Bun.spawn(
    ["/bin/sh", "-c", limits, "sh", bubblewrap, ...cellArguments(), "--", ...bun],
    { env: {}, cwd: "/", stdio: ["pipe", "pipe", "ignore"] },
  );
  let reason: string | null = null;
  const end = (why: string): void => {
    reason ??= why;
    child.kill("SIGKILL");
  };
  const send = (message: object): void => {
    child.stdin.write(`${JSON.stringify(message)}\n`);
    void Promise.resolve(child.stdin.flush()).catch(() => undefined);
  };
  const watch = setInterval(() => {
    const { bytes, processes } = usage(child.pid);
    if (bytes > memoryBytes) end("It used more than 512 MB of memory.");
    if (processes > maxProcesses) end("It started other processes.");
  }, watchMs);
  send(script);
  return {
    answer: send,
    end,
    async *messages() {
      try {
        let isDone = false;
        for await (const line of lines(child.stdout, () => end("A message was too long."))) {
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
          await child.exited;
          throw new CellError(reason ?? "It ended early: it ran out of memory or processor time.");
        }
      } finally {
        clearInterval(watch);
        child.kill("SIGKILL");
        await child.exited;
      }
    },
  };
}

async function* lines(stream: ReadableStream<Uint8Array>, tooLong: () => void) {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of stream) {
    const found = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = found.pop() ?? "";
    yield* found;
    if (rest.length > maxLineChars) return tooLong();
  }
}

const pageBytes = 4096;

/** Memory that a process and all below it hold, and how many these are beside the two of the sandbox. */
function usage(pid: number): { bytes: number; processes: number } {
  let bytes = 0;
  const pids = [pid];
  for (const each of pids) {
    const statm = attempt(() => readFileSync(`/proc/${each}/statm`, "utf8"), "");
    bytes += Number(statm.split(" ")[1] ?? 0) * pageBytes;
    for (const task of attempt(() => readdirSync(`/proc/${each}/task`), [])) {
      const below = attempt(() => readFileSync(`/proc/${each}/task/${task}/children`, "utf8"), "");
      pids.push(...below.split(" ").filter(Boolean).map(Number));
    }
    if (pids.length > 100) break;
  }
  return { bytes, processes: pids.length - 2 };
}
