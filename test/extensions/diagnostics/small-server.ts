/**
 * A language server on standard input and output: every line with the word "wrong" is an error. A line
 * "other FILE" makes it report an error of that file, too.
 */

import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { z } from "zod";
import { StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";

type Way = "push" | "unversioned" | "silent" | "flood" | "crash";

const way: Way = (process.argv[2] as Way | undefined) ?? "push";
const texts = new Map<string, string>();

const writer = new StreamMessageWriter(process.stdout);
const send = (message: object): void => void writer.write({ jsonrpc: "2.0", ...message });

const errorAt = (line: number, message: string) => ({
  range: { start: { line, character: 0 }, end: { line, character: 1 } },
  severity: 1,
  code: "E1",
  message,
});

/** Each with a warning. */
const findErrors = (text: string) =>
  text.split("\n").flatMap((line, at) => {
    if (!/\bwrong\b/.test(line)) return [];
    return [errorAt(at, line), { ...errorAt(at, `odd: ${line}`), severity: 2 }];
  });

/** Servers ignore changes of an old version. The tests change one file each. */
let newest = 0;

function publish(uri: string, diagnostics: unknown, version?: number): void {
  send({ method: "textDocument/publishDiagnostics", params: { uri, version, diagnostics } });
}

function report(uri: string, version: number): void {
  const text = texts.get(uri) ?? "";
  const other = /^other (\S+)$/m.exec(text)?.[1];
  if (other !== undefined) {
    const file = pathToFileURL(join(dirname(fileURLToPath(uri)), other)).href;
    publish(file, [errorAt(4, "no longer fits")]);
  }
  if (way === "unversioned") return publish(uri, findErrors(text));
  // Like gopls, which reads the disk before it learns of the open file.
  if (way === "push") publish(uri, [errorAt(0, "on disk")]);
  if (way === "push") return publish(uri, findErrors(text), version);
  const many = Array.from({ length: 100_000 }, (_, at) => errorAt(at, `\u001b[31mwrong ${at}`));
  publish(uri, [{ severity: "high" }, null, ...many], version);
}

/** What the client says, as far as the server reads it. */
const message = z.object({
  id: z.number().optional(),
  method: z.string().optional(),
  params: z
    .object({
      textDocument: z.object({
        uri: z.string(),
        text: z.string().default(""),
        version: z.number().default(0),
      }),
      contentChanges: z.array(z.object({ text: z.string() })).default([]),
    })
    .optional()
    .catch(undefined),
  result: z.unknown().optional(),
});

function handle({ id, method, params, result }: z.infer<typeof message>): void {
  // Its only question is for two parts of its configuration.
  if (method === undefined && !(Array.isArray(result) && result.length === 2)) process.exit(1);
  if (method === "initialize") {
    send({ id: 1, method: "workspace/configuration", params: { items: [{}, {}] } });
    return send({ id, result: { capabilities: {} } });
  }
  if (params === undefined) return;
  const { uri, text, version } = params.textDocument;
  switch (method) {
    case "textDocument/didOpen":
      if (way === "crash") process.exit(1);
      texts.set(uri, text);
      break;
    case "textDocument/didChange":
      if (version <= newest) process.exit(1);
      newest = version;
      texts.set(uri, params.contentChanges[0]?.text ?? "");
      break;
    default:
      return;
  }
  if (way === "push" || way === "unversioned" || way === "flood") report(uri, version);
}

process.on("SIGTERM", () => process.exit(0));
new StreamMessageReader(process.stdin).listen((said) => handle(message.parse(said)));
