import { z } from "zod";
import { isRecord } from "../base/guards.ts";
import type { ToolInput } from "../protocol/block.ts";
import description from "./ask-user.md" with { type: "text" };
import { textOutput, touchesNothing, type Tool, type ToolRun } from "./tool.ts";

const question = z.object({
  question: z.string().min(1).max(1_000),
  header: z.string().max(100).optional().meta({ deprecated: true }),
  options: z
    .array(
      z.object({ label: z.string().min(1).max(200), description: z.string().max(500).optional() }),
    )
    .min(1)
    .max(12),
  multiSelect: z.boolean().optional(),
});

const schema = z.strictObject({ questions: z.array(question).min(1).max(4) });

type PollQuestion = z.infer<typeof question>;

/** Asks the user questions with choices. */
export const askUserTool: Tool<z.infer<typeof schema>> = {
  name: "AskUserQuestion",
  description,
  schema,
  adapt: (input) => (input["questions"] === undefined ? { questions: [input] } : input),
  readOnly: true,
  intent: async ({ questions }) =>
    touchesNothing("Ask you", questions.map(({ question }) => question).join("\n")),
  async run({ questions }, run) {
    const answers = questions.map((): string | null => null);
    let at = 0;
    for (let asked = 1; at >= 0 && !run.signal.aborted; asked++) {
      const { said, goTo } = await ask(questions, { at, answers }, `${run.toolUse}-${asked}`, run);
      answers[at] = said ?? answers[at] ?? null;
      at = goTo ?? nextOpen(answers, at);
    }
    const lines = questions.flatMap(({ question }, at) => {
      const answer = answers[at] ?? null;
      return answer === null ? [] : [`- ${question}\n  ${answer}`];
    });
    return textOutput(`The user's answers:\n${lines.join("\n")}`);
  },
};

/** The next question without an answer, from the start after the last one; -1: there is none. */
const nextOpen = (answers: readonly (string | null)[], at: number): number =>
  Math.max(answers.indexOf(null, at), answers.indexOf(null));

type Place = { at: number; answers: readonly (string | null)[] };

/** `said`: null if the user only went to another question. */
type Reply = { said: string | null; goTo: number | null };

async function ask(
  questions: readonly PollQuestion[],
  { at, answers }: Place,
  id: string,
  run: ToolRun,
): Promise<Reply> {
  const question = questions[at];
  if (!question) return { said: null, goTo: null };
  const { question: text, header, options, multiSelect = false } = question;
  const headers = questions.map(({ header }, at) => header ?? `Question ${at + 1}`);
  const isAlone = questions.length < 2;
  const answer = await run.ask({
    id,
    toolUse: run.toolUse,
    tool: askUserTool.name,
    input: { questions: [question] },
    title: `${header ?? "The agent asks you"}${isAlone ? "" : ` · ${at + 1} of ${questions.length}`}`,
    detail: text,
    detailKind: "text",
    rule: null,
    poll: {
      options: options.map(({ label, description: more }) => ({
        label,
        ...(more && { description: more }),
      })),
      takesSeveral: multiSelect,
      ...(!isAlone && { among: { at, headers, answers: [...answers] } }),
    },
  });
  if (!answer.allow) {
    const why = answer.reason ? `: ${answer.reason}` : "";
    const said = `(not answered${why}; decide yourself, and say what you assumed)`;
    return { said, goTo: null };
  }
  const given = readAnswer(answer.input ?? {}, text);
  const { goTo } = answer.input ?? {};
  if (typeof goTo === "number" && questions[goTo]) return { said: given, goTo };
  return { said: given ?? "(answered without a choice)", goTo: null };
}

/** A client of other agents answers by the text of the question. */
function readAnswer({ answer, answers }: ToolInput, text: string): string | null {
  const given = answer ?? (isRecord(answers) ? (answers[text] ?? Object.values(answers)[0]) : null);
  return typeof given === "string" && given.trim() !== "" ? given : null;
}
