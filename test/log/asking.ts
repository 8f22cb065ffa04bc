/** Holds a log and asks a question, or with `review` about a summary, on standard input's cue; prints the answer that reaches it. */

import { acquireLock } from "../../src/log/lock.ts";
import { answeredFromElsewhere } from "../../src/log/questions.ts";
import type { AgentCommand } from "../../src/protocol/command.ts";
import type { AgentEvent } from "../../src/protocol/event.ts";
import { askAbout } from "../questions.ts";

const [file = "", what] = process.argv.slice(2);
const lock = acquireLock(file);
const answered = Promise.withResolvers<AgentCommand>();
const ended = Promise.withResolvers<void>();
process.stdin.once("data", () => ended.resolve());

async function* events(): AsyncGenerator<AgentEvent, void> {
  const isReview = what === "review";
  yield isReview
    ? { type: "compaction", state: { step: "review", id: "r1", text: "They sailed." } }
    : { type: "ask", ask: askAbout("rm -r sails", { rule: "Bash(rm:*)" }) };
  await Promise.race([answered.promise, ended.promise]);
  yield isReview ? { type: "compaction", state: { step: "done" } } : { type: "asked", id: "t1" };
}
for await (const event of answeredFromElsewhere(events(), file, answered.resolve))
  console.log(event.type);
// What waits when the question is answered here is never answered from elsewhere.
answered.resolve({ type: "stop" });
console.log(JSON.stringify(await answered.promise));
lock.release();
process.exit(0);
