import { call, say, think, type AnswerBlock, type Responder } from "../../../fake-api/index.ts";
import type { Random } from "./random.ts";

const summary =
  "<analysis>long</analysis><summary>1. Intent: keep working on the harbour.\n2. Decisions: none were made so far.\n8. Next step: continue with the next file.</summary>";

/**
 * A model that reads, changes and talks at random, and writes summaries, now and then a bad one.
 * `workShare`: of its answers that call tools, nearly two at a time.
 */
export function randomResponder(random: Random, workShare: number): Responder {
  let calls = 0;
  const work = (): AnswerBlock => {
    const id = `call_${++calls}`;
    const size = random.pick([10, 200, 3_000, 3_000, 12_000, 70_000]);
    if (random.chance(0.05)) return call("Bash", { command: `echo ${id}` }, id);
    if (random.chance(0.02)) return { type: "tool_use", name: "look", id, json: '{"size": 3' };
    return call(random.chance(0.7) ? "look" : "change", { size, id }, id);
  };
  return ({ messages, compaction }) => {
    const last = JSON.stringify(messages.at(-1)?.content ?? "");
    const isBad = random.chance(0.1);
    if (compaction != null)
      return say(isBad ? " " : "1. Intent: keep working.\n8. Next step: go on.");
    if (last.includes("<analysis>")) return say(isBad ? "No." : summary);
    const content: AnswerBlock[] = [];
    if (random.chance(0.5)) content.push(think("Let me see. 🙂 "));
    if (random.chance(0.5)) content.push({ type: "text", text: "Next the harbour. 🚢 ".repeat(5) });
    if (random.chance(workShare)) {
      const count = random.pick([1, 1, 1, 2, 4]);
      for (let n = 0; n < count; n++) content.push(work());
    } else if (!content.some(({ type }) => type === "text")) {
      content.push({ type: "text", text: "Done." });
    }
    const isGiant = random.chance(0.003);
    if (isGiant) content.unshift({ type: "text", text: "a giant answer 🐘 ".repeat(1_500) });
    return { content, chunkBytes: random.pick([7, 64, 512, 4_096]) };
  };
}
