/** Several requests in one message. */

import { clipLine } from "../../base/clip.ts";
import type { Todo } from "../../protocol/todo.ts";
import type { Conversation } from "./conversation.ts";
import { make, type Script, type Skill } from "./script.ts";
import { paragraphs } from "./text.ts";
import { setTodos, toolNames } from "./tools.ts";

/** Fewer tasks need no todo list. */
const listedFrom = 3;

const item = /^\s*(?:\d+[.)]|[-*•])\s+(\S.*)$/;

/** The items of a list; none if the message is not a list. */
export const tasksIn = (question: string): string[] =>
  question.includes("```")
    ? []
    : question.split("\n").flatMap((line) => item.exec(line)?.[1]?.trim() ?? []);

/** Null: none of the tasks is one that `take` can do. */
export function doTasks(
  tasks: readonly string[],
  conversation: Conversation,
  take: Skill,
): Script | null {
  const scripts = tasks.map((task) => ({ task, script: take(task, conversation) }));
  const possible = scripts.filter(({ script }) => script !== null).length;
  return possible === 0 ? null : doAll(scripts, possible, conversation.tools.has(toolNames.todo));
}

function* doAll(
  scripts: readonly { task: string; script: Script | null }[],
  possible: number,
  hasTodos: boolean,
): Script {
  const answers: string[] = [];
  const isListed = hasTodos && scripts.length >= listedFrom;
  const statusOf = (at: number, now: number): Todo["status"] =>
    at < now ? "completed" : at === now ? "in_progress" : "pending";
  for (const [now, { task, script }] of scripts.entries()) {
    if (isListed && script !== null) yield* make(todos(now));
    const done = script === null ? "I can't do this step." : yield* script;
    answers.push(`**Step ${now + 1} of ${scripts.length}: ${clipLine(task, 80)}**\n\n${done}`);
  }
  if (isListed) yield* make(todos(scripts.length));
  const all = possible === scripts.length ? `all ${possible}` : `${possible} of ${scripts.length}`;
  return paragraphs(...answers, `I went through ${all} steps.`);

  function todos(now: number) {
    return setTodos(
      scripts.flatMap(({ task, script }, at) =>
        script === null ? [] : [{ content: clipLine(task, 200), status: statusOf(at, now) }],
      ),
    );
  }
}
