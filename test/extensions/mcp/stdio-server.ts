/**
 * The small server on standard input and output. `--silent`: it never answers. A call with an input `raw` is answered with that text, where ID stands for the call's id.
 */

import { z } from "zod";
import { SmallServer } from "./small-server.ts";

process.stderr.write("small server is here\n");
const server = new SmallServer(() => process.exit(7));
const isSilent = process.argv.includes("--silent");
// Some servers log to their standard output.
if (!isSilent) process.stdout.write("listening\n");
const rawCall = z.object({
  id: z.number(),
  params: z.object({ arguments: z.object({ raw: z.string() }) }),
});
for await (const line of console) {
  const json: unknown = JSON.parse(line);
  const call = rawCall.safeParse(json).data;
  if (call) process.stdout.write(call.params.arguments.raw.replaceAll("ID", String(call.id)));
  else if (!isSilent)
    for (const answer of server.handle(json)) process.stdout.write(`${JSON.stringify(answer)}\n`);
}
