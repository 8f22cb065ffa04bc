/**
 * The small server on standard input and output. `--silent`: it never answers; `--asks`: one of its
 * tools asks the user.
 */

import { SmallServer } from "./small-server.ts";

process.stderr.write("small server is here\n");
const server = new SmallServer(
  (message) => process.stdout.write(`${JSON.stringify(message)}\n`),
  () => process.exit(7),
  { asks: process.argv.includes("--asks") },
);
const isSilent = process.argv.includes("--silent");
// Some servers log to their standard output.
if (!isSilent) process.stdout.write("listening\n");
for await (const line of console) if (!isSilent) server.handle(JSON.parse(line));
