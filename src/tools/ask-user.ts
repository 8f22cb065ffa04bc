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
  description: description.trim(),
  schema,
  adapt: (input) => (input["questions"] === undefined ? { questions: [input] } : input),
  readOnly: true,
  intent: async ({ questions }) =>
    touchesNothing("Ask you", questions.map(({ question }) => question).join("\n")),
  async run({ questions }, run) {
    const lines: string[] = [];
    for (const [at, question] of questions.entries()) {
      const place = questions.length < 2 ? "" : ` · ${at + 1} of ${questions.length}`;
      const title = `${question.header ?? "The agent asks you"}${place}`;
      const answer = await ask(question, title, `${run.toolUse}-${at + 1}`, run);
      lines.push(`- ${question.question}\n  ${answer}`);
      if (run.signal.aborted) break;
    }
    return textOutput(`The user's answers:\n${lines.join("\n")}`);
  },
};

async function ask(
  question: PollQuestion,
  title: string,
  id: string,
  run: ToolRun,
): Promise<string> {
  const { question: text, options, multiSelect = false } = question;
  const answer = await run.ask({
    id,
    toolUse: run.toolUse,
    tool: askUserTool.name,
    input: { questions: [question] },
    title,
    detail: text,
    detailKind: "text",
    rule: null,
    poll: {
      options: options.map(({ label, description: more }) => ({
        label,
        ...(more && { description: more }),
      })),
      takesSeveral: multiSelect,
    },
  });
  if (answer.allow) return readAnswer(answer.input ?? {}, text) ?? "(answered without a choice)";
  const why = answer.reason ? `: ${answer.reason}` : "";
  return `(not answered${why}; decide yourself, and say what you assumed)`;
}

/** A client of other agents answers by the text of the question. */
function readAnswer({ answer, answers }: ToolInput, text: string): string | null {
  const given = answer ?? (isRecord(answers) ? (answers[text] ?? Object.values(answers)[0]) : null);
  return typeof given === "string" && given.trim() !== "" ? given : null;
}
