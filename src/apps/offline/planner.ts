/** From the turn so far to the next answer. Pure: the same request has the same answer. */

import type { AssistantBlock } from "../../protocol/block.ts";
import type { ModelRequest } from "../../protocol/model.ts";
import { isStuck, type Call, type Move, type Skill } from "./skill.ts";
import { about } from "./skills/about.ts";
import { commands } from "./skills/commands.ts";
import { carryOn } from "./skills/carry-on.ts";
import { readEach } from "./skills/each.ts";
import { edits } from "./skills/edits.ts";
import { failing } from "./skills/failing.ts";
import { explain } from "./skills/explain.ts";
import { compact, look } from "./skills/look.ts";
import { recollect } from "./skills/talk.ts";
import { recall } from "./skills/recall.ts";
import { help } from "./skills/help.ts";
import { where } from "./skills/where.ts";
import { whereFile } from "./skills/where-file.ts";
import { declined } from "./skills/declined.ts";
import { followTasks } from "./tasks.ts";
import { charsPerToken } from "./tokenizer.ts";
import { readTurn, type Turn } from "./turn.ts";

/** The first that feels addressed answers; from the most exact wording to the vaguest. */
const skills: readonly Skill[] = [
  edits,
  compact,
  readEach,
  recollect,
  recall,
  failing,
  commands,
  look,
  about,
  explain,
  whereFile,
  where,
];

/** A request in words is short; what is longer was pasted, and no pattern is tried on it but an edit's. */
const requestChars = 2_000;
/** An edit that is longer does not fit into an answer either. */
const editChars = 20_000;

/** Null: no skill takes it. */
const takeOn: Skill = (turn) => {
  if (turn.question.length > requestChars)
    return turn.question.length > editChars ? null : edits(turn);
  for (const skill of skills) {
    const move = skill(turn);
    if (move) return move;
  }
  return null;
};

/** A list of requests, or a single one. */
const takeAll: Skill = (turn) => followTasks(turn, takeOn) ?? takeOn(turn);

export function planAnswer(request: ModelRequest): AssistantBlock[] {
  const turn = readTurn(request);
  const move = declined(turn) ?? takeAll(turn) ?? carryOn(turn, takeAll) ?? help(turn);
  const { say, calls = [] } = fit(permitted(move ?? {}, turn), request.maxTokens * charsPerToken);
  const ids = idsOf(request);
  return [
    ...(say ? [{ type: "text" as const, text: say }] : []),
    ...calls.map(({ tool, input }, index) => ({
      type: "tool_use" as const,
      id: `offline_${ids}_${index}`,
      name: tool,
      input,
    })),
  ];
}

/** Ids of calls must differ in a whole session, of which a request shows only a part: so by its content. */
const idsOf = ({ messages }: ModelRequest): string =>
  Bun.hash(JSON.stringify(messages)).toString(36);

/** Only tools that are there, and no call over and over because its result is cut away each time. */
function permitted(move: Move, turn: Turn): Move {
  const wanted = move.calls ?? [];
  const there = wanted.filter(({ tool }) => turn.tools.has(tool));
  const calls = there.filter((one) => !isStuck(one, turn.steps));
  if (wanted.length === 0 || calls.length > 0) return { ...move, calls };
  const why =
    there.length === 0
      ? `I would need the tool ${[...new Set(wanted.map(({ tool }) => tool))].join(", ")}, which I do not have here.`
      : "I made the same call twice and its result was cut away each time: the window is too small for this. Compact the conversation, or ask for a smaller part.";
  return { say: why };
}

/** An answer that ends where the room for it ends. */
function fit({ say = "", calls = [] }: Move, mostChars: number): { say: string; calls: Call[] } {
  const callChars = calls.reduce((sum, one) => sum + JSON.stringify(one).length + 80, 0);
  if (callChars > mostChars)
    return {
      say: "That is too long for one answer of mine: ask for it in smaller parts.",
      calls: [],
    };
  const room = mostChars - callChars;
  const note = "\n\n[The rest is left out: there is no more room in this answer.]";
  const short = `${say.slice(0, Math.max(0, room - note.length))}${note}`.toWellFormed();
  return { say: say.length <= room ? say : room > note.length ? short : "", calls };
}
