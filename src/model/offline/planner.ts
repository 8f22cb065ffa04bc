/** From the turn so far to the next answer. Pure: the same request has the same answer. */

import type { AssistantBlock } from "../../protocol/block.ts";
import type { ModelRequest } from "../../protocol/model.ts";
import type { Move, Skill } from "./skill.ts";
import { about } from "./skills/about.ts";
import { commands } from "./skills/commands.ts";
import { edits } from "./skills/edits.ts";
import { explain } from "./skills/explain.ts";
import { compact, look, readEach } from "./skills/look.ts";
import { help, recollect } from "./skills/talk.ts";
import { where } from "./skills/where.ts";
import { readTurn, type Turn } from "./turn.ts";

/** The first that feels addressed answers; from the most exact wording to the vaguest. */
const skills: readonly Skill[] = [
  edits,
  compact,
  readEach,
  recollect,
  commands,
  look,
  about,
  explain,
  where,
  help,
];

export function planAnswer(request: ModelRequest): AssistantBlock[] {
  const turn = readTurn(request);
  const move = nextMove(turn);
  const calls = (move.calls ?? []).filter(({ tool }) => turn.tools.has(tool));
  const say =
    calls.length < (move.calls ?? []).length && calls.length === 0
      ? "The tool that this needs is not there."
      : move.say;
  const number = turn.history.length + turn.steps.length;
  return [
    ...(say ? [{ type: "text" as const, text: say }] : []),
    ...calls.map(({ tool, input }, index) => ({
      type: "tool_use" as const,
      id: `offline_${turn.earlier.length}_${number + index}`,
      name: tool,
      input,
    })),
  ];
}

function nextMove(turn: Turn): Move {
  const declined = turn.steps.find(
    ({ failed, text }) => failed && text.startsWith("The user declined this call"),
  );
  if (declined) return { say: `You declined the call of ${declined.tool}, so I stopped there.` };
  for (const skill of skills) {
    const move = skill(turn);
    if (move) return move;
  }
  return { say: "I do not know what to do with that." };
}
