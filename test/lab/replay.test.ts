import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run as runReplay } from "./replay.ts";
import { UsageError } from "../../src/config/usage-error.ts";
import { session } from "./sessions.ts";

async function run(args: readonly string[], files: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), "replay-"));
  try {
    for (const [name, text] of Object.entries(files)) await Bun.write(join(folder, name), text);
    let out = "";
    let err = "";
    const io = {
      out: (text: string) => void (out += text),
      err: (text: string) => void (err += text),
    };
    const code = await runReplay([folder, ...args], io).catch((error: unknown) => {
      if (!(error instanceof UsageError)) throw error;
      err += error.message;
      return 2;
    });
    return { code, out, err };
  } finally {
    await rm(folder, { recursive: true });
  }
}

const files = {
  "a.jsonl": session([{ path: "/a", chars: 4_000, human: "Go." }], "a"),
  "b.jsonl": session([{ path: "/b", chars: 9_000, human: "Go." }], "b"),
};

test("a table with a line for each policy and window", async () => {
  const { code, out } = await run(["--policy", "none,balanced", "--window=100000,200000"], files);
  expect(code).toBe(0);
  expect(out).toContain("2 sessions, window 100,000");
  expect(out).toContain("2 sessions, window 200,000");
  expect(out.match(/^(none|balanced) +\$/gm)).toHaveLength(4);
});

test("--json gives every session's numbers; --half takes every second recording", async () => {
  const { out } = await run(["--json", "--policy=none", "--window=200000", "--half=test"], files);
  const [only] = JSON.parse(out);
  expect(only).toMatchObject({ policy: "none", window: 200_000 });
  expect(only.sessions.map((one: { session: string }) => one.session)).toEqual(["b"]);
});

test("--emit requests writes each call's request body with its marks", async () => {
  const { out } = await run(["--emit=requests", "--policy=none", "--window=200000"], files);
  const lines = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines).toHaveLength(4);
  expect(lines[0]).toMatchObject({ session: "a", policy: "none", call: 0 });
  expect(JSON.stringify(lines[1].request).match(/"cache_control"/g)?.length).toBeLessThanOrEqual(4);
});

test("--emit requests has the server compact, where it can", async () => {
  const steps = Array.from({ length: 30 }, (_, n) => ({
    path: `/f${n}`,
    chars: 9_000,
    human: "Go.",
  }));
  const { out } = await run(["--emit=requests", "--policy=balanced", "--window=30000"], {
    "l.jsonl": session(steps, "l"),
  });
  const requests = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).request);
  expect(requests.some(({ compaction }) => compaction !== undefined)).toBe(true);
});

test("--emit requests includes what does not fit, with the policy's own marks", async () => {
  const long = { "l.jsonl": session([{ path: "/l", chars: 90_000, human: "Go." }], "l") };
  const emitted = async (policy: string) => {
    const { code, out } = await run(
      ["--emit=requests", `--policy=${policy}`, "--window=30000"],
      long,
    );
    expect(code).toBe(0);
    return out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).request);
  };
  const none = await emitted("none");
  expect(none).toHaveLength(2);
  expect(JSON.stringify(none[1]).length).toBeGreaterThan(30_000 * 3.2);
  expect(JSON.stringify(none[1].messages).match(/"cache_control"/g)).toHaveLength(1);
  const balanced = await emitted("balanced");
  expect(balanced[0].system[0].cache_control).toEqual({ type: "ephemeral", ttl: "1h" });
});

test("a recording that begins with an answer is replayed", async () => {
  const [head = "", , ...rest] = session([{ path: "/a", chars: 400, human: "Go." }]).split("\n");
  const { code, out } = await run(["--emit=requests", "--policy=balanced", "--window=200000"], {
    "m.jsonl": [head, ...rest].join("\n"),
  });
  expect(code).toBe(0);
  expect(JSON.parse(out.split("\n")[0] ?? "").request.messages).toHaveLength(1);
});

test("an invalid option or file is reported in a sentence", async () => {
  expect(await run(["--policy=magic"], files)).toMatchObject({ code: 2, out: "" });
  expect((await run(["--policy=magic"], files)).err).toContain("--policy must be one of none, ");
  expect((await run([], { "x.jsonl": '{"type":"other"}' })).err).toContain("line 1 is neither");
  expect((await run(["--wat"], files)).err).toContain("--wat");
});

test("--chart shows the size over the calls, and which tier cut when and why", async () => {
  const turns = Array.from({ length: 8 }, (_, n) => ({
    path: `/f${n}`,
    chars: 40_000,
    human: "Go.",
  }));
  const { out } = await run(["--chart", "--policy=window-33k", "--window=90000"], {
    "a.jsonl": session(turns, "a"),
  });
  expect(out).toMatch(/^[▁▂▃▄▅▆▇█]+\n *S/m);
  expect(out).toMatch(/^ {2}call +\d+ {2}summary +[\d,]+ -> +[\d,]+ {2}at window - 33,000$/m);
});

test("an invalid recording is reported and skipped; the others are counted", async () => {
  const { code, out, err } = await run(["--policy=none", "--window=200000"], {
    ...files,
    "c.jsonl": '{"session":"c"}\n{"role":"nobody"}\n{"role":"user","content":"hi"}',
  });
  expect(code).toBe(0);
  expect(err).toMatch(/^Skipped .*c\.jsonl: c, line 2/);
  expect(out).toContain("2 sessions, window 200,000");
});

test("two answers in a row, as after a skipped summary, are replayed with a word between them", async () => {
  const lines = session([{ path: "/a", chars: 400, human: "Go." }]).split("\n");
  const again = JSON.stringify({ role: "assistant", content: [{ type: "text", text: "More." }] });
  const { code, err, out } = await run(["--emit=requests", "--policy=none", "--window=200000"], {
    "d.jsonl": [...lines, again].join("\n"),
  });
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out.trim().split("\n")).toHaveLength(3);
});
