/** Keys of the user: no other program, file or message may contain them. */

import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { sandbox, type Run } from "../bin.ts";
import { inProcess } from "../in-process.ts";

const box = inProcess(await sandbox("keys"));
afterAll(box.remove);

/** Unique to this run: other programs on the machine may contain the key of another. */
const secret = `do-not-show-${crypto.randomUUID()}`;
const key = `sk-ant-api03-${secret}`;
const keys = {
  ANTHROPIC_API_KEY: key,
  ANTHROPIC_AUTH_TOKEN: `${key}-token`,
  OPENAI_API_KEY: `${key}-openai`,
  MY_COPY: `Bearer ${key}`,
};

/** Everything that was printed or written. */
async function traces(run: Run): Promise<string> {
  const names = await Array.fromAsync(
    new Bun.Glob("**/*").scan({ cwd: box.root, dot: true, onlyFiles: true }),
  );
  const files = names.filter((name) => !name.startsWith("bin/"));
  const texts = await Promise.all(files.map((name) => Bun.file(join(box.root, name)).text()));
  return [run.out, run.err, ...texts].join("\n");
}

const error = (type: string, said: string) =>
  JSON.stringify({ type: "error", error: { type, message: `your key ${said} is odd` } });

const streamed = (name: string, data: string): Response =>
  new Response(`event: ${name}\ndata: ${data}\n\n`, {
    headers: { "content-type": "text/event-stream" },
  });

/** Servers that repeat the key in everything they send. */
const servers: [name: string, answer: (said: string) => Response][] = [
  ["401", (said) => new Response(error("authentication_error", said), { status: 401 })],
  ["redirect", (said) => Response.redirect(`http://127.0.0.1:1/${said}`, 307)],
  ["text", (said) => new Response(`<h1>${said}</h1>`, { status: 404 })],
  ["an error in the stream", (said) => streamed("error", error("invalid_request_error", said))],
  ["a broken stream", (said) => streamed("message_start", `{"broken ${said}`)],
  [
    "headers",
    (said) =>
      new Response("{}", { status: 400, headers: { "request-id": said, "retry-after": said } }),
  ],
];

test.each(servers)("%s with the key in it leaves no trace of the key", async (_, answer) => {
  for (const [provider, path] of [
    ["anthropic", ""],
    ["openai", "/v1"],
  ] as const) {
    let asked = 0;
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch({ headers, url }) {
        // What is tried again is refused for good.
        if (/(?:messages|completions)$/.test(url) && asked++ > 0)
          return new Response("{}", { status: 401 });
        return answer(headers.get("x-api-key") ?? headers.get("authorization")?.slice(7) ?? "");
      },
    });
    const variable = `${provider.toUpperCase()}_BASE_URL`;
    const run = await box.run(["-p", "--debug", "--verbose", "--provider", provider, "hello"], {
      env: { ...keys, [variable]: `http://127.0.0.1:${server.port}${path}` },
    });
    server.stop(true);
    expect(run.code).toBe(1);
    expect(await traces(run)).not.toContain(secret);
  }
});

test("a start that fails shows no key, also with a stack trace", async () => {
  const home = join(box.root, "file");
  await Bun.write(home, "");
  const run = await box.run(["-p", "--verbose", "hello"], {
    env: {
      ...keys,
      MINI_CLAUDE_HOME: join(home, "x"),
      ANTHROPIC_BASE_URL: `not an address ${key}`,
    },
  });
  expect(run.code).not.toBe(0);
  expect(run.err).not.toContain(secret);
});
