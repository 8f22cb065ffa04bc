/** Several requests in one message: done one after another, with a todo list where there are many. */

import { call, type Call, type Move, type Skill } from "./skill.ts";
import { clip, withoutQuotes } from "./text.ts";
import type { Turn } from "./turn.ts";

/** From so many steps on they are kept in the todo list. */
const listedFrom = 3;

/**
 * Where the work stands is read from the headings of the answers so far, which stay in the context
 * when results are cut. Null: the message is one request, or none of its parts is for `takeOn`.
 */
export function followTasks(turn: Turn, takeOn: Skill): Move | null {
  const tasks = tasksIn(turn.question);
  if (tasks.length < 2) return null;
  const takes = tasks.filter((question) => takeOn({ ...turn, question, steps: [] }) !== null);
  if (takes.length < (isList(turn.question) ? 1 : tasks.length)) return null;
  if (allAreDone(turn, tasks.length)) return { say: conclusion(tasks, takes) };

  const place = placeOf(turn, tasks);
  let at = Math.max(0, place.task);
  let begins = place.task === -1;
  let steps = turn.steps.slice(place.after).filter(({ tool }) => tool !== "todo");
  const parts: string[] = [];
  for (; at < tasks.length; at += 1) {
    const question = tasks[at] ?? "";
    const move = takeOn({ ...turn, question, steps }) ?? {
      say: "This step I cannot do: it is none of the requests that I know.",
    };
    if (begins) parts.push(heading(tasks, at));
    if (move.say) parts.push(move.say);
    if ((move.calls ?? []).length > 0) {
      const list = begins ? todo(turn, tasks, takes, at) : [];
      return { say: parts.join("\n\n"), calls: [...list, ...(move.calls ?? [])] };
    }
    steps = [];
    begins = true;
  }
  return { say: parts.join("\n\n"), calls: todo(turn, tasks, takes, tasks.length) };
}

function conclusion(tasks: readonly string[], takes: readonly string[]): string {
  const left = tasks.filter((task) => !takes.includes(task));
  const names = left.map((task) => `“${clip(task, 60)}”`).join(" and ");
  return left.length === 0
    ? `I went through all ${tasks.length} steps.`
    : `I went through ${takes.length} of ${tasks.length} steps; ${names} I cannot do.`;
}

const item = /^\s*(?:\d+[.)]|[-*•])\s+(\S.*)$/;

const isList = (question: string): boolean =>
  !question.includes("```") && question.split("\n").filter((line) => item.test(line)).length > 1;

/** The parts of a message: the items of its list, or what "and then" joins. */
function tasksIn(question: string): string[] {
  if (question.includes("```")) return [question];
  if (isList(question)) {
    const tasks: string[] = [];
    for (const line of question.split("\n")) {
      const text = item.exec(line)?.[1];
      if (text !== undefined) tasks.push(text.trim());
      else if (tasks.length > 0 && line.trim() !== "") tasks.push(`${tasks.pop()} ${line.trim()}`);
    }
    return tasks;
  }
  // What stands in quotes is no connection: there the question is blanked, so that places agree.
  const plain = withoutQuotes(question);
  const tasks: string[] = [];
  let from = 0;
  for (const found of plain.matchAll(/(?:;|[,.]?\sand then|,\s?then|\.\sthen)\s/gi)) {
    tasks.push(question.slice(from, found.index));
    from = found.index + found[0].length;
  }
  return [...tasks, question.slice(from)].map((text) => text.trim()).filter((text) => text !== "");
}

const heading = (tasks: readonly string[], at: number): string =>
  `**Step ${at + 1} of ${tasks.length}: ${clip(tasks[at] ?? "", 80)}**`;

/** The newest task that was begun, and the steps that were made before it; -1: none was begun. */
function placeOf(
  { said, summarised }: Turn,
  tasks: readonly string[],
): { task: number; after: number } {
  const begun = (text: string): number =>
    tasks.findLastIndex((_, at) => text.includes(heading(tasks, at)));
  for (const { text, after } of said.toReversed()) {
    const task = begun(text);
    if (task !== -1) return { task, after };
  }
  return { task: said.length === 0 ? begun(summarised.text) : -1, after: 0 };
}

function todo(
  { tools }: Turn,
  tasks: readonly string[],
  takes: readonly string[],
  at: number,
): Call[] {
  if (tasks.length < listedFrom || !tools.has("todo")) return [];
  const items = tasks.map((text, index) => ({
    text: clip(text, 200),
    status: !takes.includes(text)
      ? "cancelled"
      : index < at
        ? "done"
        : index === at
          ? "in_progress"
          : "pending",
  }));
  return [call("todo", { items })];
}

/** The list that was set last in this turn holds nothing open any more. */
function allAreDone({ steps }: Turn, count: number): boolean {
  const items = steps.at(-1)?.tool === "todo" ? steps.at(-1)?.input["items"] : undefined;
  return (
    Array.isArray(items) && items.length === count && items.every((one: unknown) => isDone(one))
  );
}

const isDone = (one: unknown): boolean =>
  typeof one === "object" &&
  one !== null &&
  "status" in one &&
  (one.status === "done" || one.status === "cancelled");
