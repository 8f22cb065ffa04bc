import { afterAll, expect, test } from "bun:test";
import { blockText } from "../../../src/protocol/block.ts";
import { leave, room as openRoom } from "../room.ts";

/** A room whose scripts call its own tools. */
async function scriptRoom(scriptMs = 60_000) {
  const room = await openRoom({ scripts: true, scriptMs, mode: "bypass" });
  const calls: string[] = [];
  const script = async (code: string): Promise<string> => {
    const outcome = await room.run(
      "Script",
      { code },
      {
        call: ({ tool, input, signal }) => {
          calls.push(tool);
          return room.run(tool, input, { signal, forScript: true });
        },
      },
    );
    return blockText(outcome.content);
  };
  return { room, calls, script };
}

const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("here") });
afterAll(() => Promise.all([leave(), server.stop(true)]));

/** Scripts are offered only where they can be confined. */
const { box } = await openRoom({ scripts: true });
const here = box.names.includes("Script") ? test.concurrent : test.skip;

here("prints what the script prints, and nothing of its calls", async () => {
  const { room, script } = await scriptRoom();
  for (let n = 0; n < 12; n++) room.put(`src/${n}.ts`, `export const n = ${n};\n`);
  const said = await script(`
    const files: string[] = (await glob("src/*.ts")).trim().split("\\n");
    let sum = 0;
    for (const file of files) sum += Number(/n = (\\d+)/.exec(await read(file))?.[1]);
    console.log(files.length, sum);
    return "done";
  `);
  expect(said).toBe("12 66\ndone");
});

here("reads a file of 2 MB as its bytes are, in one call", async () => {
  const { room, calls, script } = await scriptRoom();
  const text = Array.from({ length: 60_000 }, (_, n) => `${n}\tline of words of its own`).join(
    "\n",
  );
  const long = `${text}\n${"x".repeat(5_000)}`;
  room.put("long.txt", long);
  room.put("empty.txt", "");
  room.put("latin.txt", Buffer.from("na\xefve caf\xe9\n", "latin1"));
  const said = await script(`
    const long = await read("long.txt");
    console.log(long.length, Bun.hash(long).toString());
    console.log(JSON.stringify(await read({ file_path: "long.txt", offset: 2, limit: 2 })));
    console.log(JSON.stringify([await read("empty.txt"), await read("latin.txt")]));
  `);
  expect(said.split("\n")).toEqual([
    `${long.length} ${Bun.hash(long)}`,
    JSON.stringify("1\tline of words of its own\n2\tline of words of its own\n"),
    JSON.stringify(["", "na\xefve caf\xe9\n"]),
  ]);
  expect(calls).toHaveLength(4);
});

here("a file that is too large for a script is refused, and can be read in parts", async () => {
  const { room, script } = await scriptRoom();
  room.put("huge.txt", `${"x".repeat(99)}\n`.repeat(83_887));
  expect(
    await script(`
      try { await read("huge.txt") } catch (error) { console.log(error.message) }
      return (await read({ file_path: "huge.txt", offset: 83_886 })).length`),
  ).toMatch(/^huge\.txt has 8,388,700 .*offset and limit.*\n200$/);
});

here("a failed call throws, and an uncaught error names itself", async () => {
  const { script } = await scriptRoom();
  expect(await script(`try { await read("none.txt") } catch (e) { return "caught" }`)).toBe(
    "caught",
  );
  expect(await script(`console.log("before"); await read("none.txt")`)).toMatch(
    /^before\n\[The script failed after 1 call: Error: .*none\.txt/,
  );
  expect(await script("const a = ;")).toContain("[The script failed after 0 calls: ");
});

here("a hostile script reaches nothing of the machine", async () => {
  const { script } = await scriptRoom();
  const said = await script(`
    const fs = await import("node:fs");
    const net = await import("node:net");
    const tried = async (reach) => {
      try { return await reach() } catch (error) { return String(error.code ?? error.message) }
    };
    const links = fs.readdirSync("/proc/self/fd").map((fd) => {
      try { return fs.readlinkSync("/proc/self/fd/" + fd) } catch { return "" }
    });
    const limits = /(?:cpu time|file size|data size|open files) +\\d+/g;
    console.log(JSON.stringify([
      fs.existsSync("/etc/passwd"),
      Object.keys(process.env).filter((name) => /HOME|PATH|KEY/.test(name)),
      await tried(() => new Promise((resolve) =>
        net.connect(${server.port}, "127.0.0.1").on("connect", () => resolve("connected")).on("error", () => resolve("no")))),
      await tried(() => Bun.spawn(["/bun", "-e", ""])),
      await tried(async () => (await import("bun:ffi")).dlopen("libc.so.6", { getpid: { args: [], returns: "int" } })),
      await tried(() => fs.openSync("/proc/sys/kernel/core_pattern", "r+")),
      fs.readFileSync("/proc/self/limits", "utf8").match(limits)?.length,
      links.filter((link) => !/^(?:|\\/dev\\/null|(?:socket|pipe|anon_inode):.*)$/.test(link)),
    ]))`);
  expect(JSON.parse(said)).toEqual([
    false,
    [],
    "no",
    "ENOSYS",
    expect.stringContaining("requires the JIT"),
    expect.stringMatching(/EROFS|EACCES/),
    5,
    [],
  ]);
});

const hostile: [string, string, RegExp][] = [
  ["a loop without end", "for (;;);", /too long/],
  ["memory", "const a = []; for (;;) a.push(new Uint8Array(1e7).fill(1))", /[Mm]emory/],
  [
    "output",
    // Each call waits until the printed text has been read: otherwise the script's memory may end first.
    `for (;;) { console.log("x".repeat(1e5)); await read("none").catch(() => 0) }`,
    /more than 1,000,000 characters/,
  ],
  ["calls", `for (;;) await read("none").catch(() => 0)`, /more than 200 calls/],
  [
    "our memory",
    `await write({ file_path: "big", content: "x".repeat(7e6) }); process.stdin.pause(); setInterval(() => {}, 1000); for (let n = 0; n < 20; n++) read("big"); await new Promise(() => {})`,
    /more than 64 million/,
  ],
  ["another tool", `await mcp("none", "x")`, /There is no tool/],
  [
    "a forged message",
    `process.stdout.write("hello\\n"); await new Promise(() => {})`,
    /standard output/,
  ],
  ["leaving", "process.exit(3)", /ended early \(exit code 3\)/],
];

for (const [what, code, says] of hostile)
  here(`a hostile script cannot use up or do: ${what}`, async () => {
    const { script } = await scriptRoom(what === "a loop without end" ? 100 : 60_000);
    expect(await script(code)).toMatch(says);
  });

here("is stopped with its calls", async () => {
  const { room } = await scriptRoom();
  const stop = new AbortController();
  const outcome = await room.run(
    "Script",
    { code: `await bash("sleep 100")` },
    {
      signal: stop.signal,
      call: ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(new Error("aborted")));
          stop.abort();
        }),
    },
  );
  expect(blockText(outcome.content)).toContain("It was stopped.");
});

here("reports what it prints, and calls nothing where no session records it", async () => {
  const { room } = await scriptRoom();
  const seen: [chars: number, of: number][] = [];
  const progress = (tail: string, of: number) => void seen.push([tail.length, of]);
  const code = `console.log("x".repeat(3000)); await bash("ls")`;
  const { content } = await room.run("Script", { code }, { progress });
  expect(blockText(content)).toContain("No tool can be called here.");
  expect(seen).toEqual([[2_000, 3_001]]);
});

here("its functions are described in few words", async () => {
  const { room } = await scriptRoom();
  const script = room.box.definitions.find(({ name }) => name === "Script");
  // 3.3 characters a token: at most 900 tokens.
  expect(JSON.stringify(script).length).toBeLessThan(2_900);
  expect(script?.description).toContain("\nglob(i: { pattern: string; path?: string })");
  expect(script?.description).toContain(
    'output_mode?: "content" | "files_with_matches" | "count"; "-A"?: number; ',
  );
  expect(script?.description).toContain("edits?: { old_string: string; new_string: string; ");
  expect(script?.description).not.toContain("run_in_background");
});
