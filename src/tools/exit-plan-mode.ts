import { z } from "zod";
import type { PermissionMode } from "../protocol/permission.ts";
import description from "./exit-plan-mode.md" with { type: "text" };
import { textOutput, ToolError, touchesNothing, type Tool } from "./tool.ts";

const schema = z.strictObject({ plan: z.string().min(1) });

/** Approving answers, with the mode for carrying out the plan. */
const answersFor = (hasAuto: boolean): { label: string; mode: PermissionMode }[] => [
  { label: "Yes, and ask before changes", mode: "default" },
  hasAuto
    ? { label: "Yes, and don't ask for edits and sandboxed commands", mode: "auto" }
    : { label: "Yes, and don't ask for edits", mode: "accept-edits" },
];

type PlanSession = {
  readonly mode: PermissionMode;
  /** Why there is no mode auto; null: there is. */
  whyNoAuto(): Promise<string | null>;
};

/** Asks the user to approve a plan, or to change it first. */
export const exitPlanModeTool = (session: PlanSession): Tool<z.infer<typeof schema>> => ({
  name: "ExitPlanMode",
  description,
  schema,
  readOnly: false,
  intent: async ({ plan }) => touchesNothing("Show you a plan", plan),
  async run({ plan }, run) {
    if (session.mode !== "plan")
      throw new ToolError(
        "This is not plan mode: continue with the work, as far as calls are allowed.",
      );
    const answers = answersFor((await session.whyNoAuto()) === null);
    const answer = await run.ask({
      id: `${run.toolUse}-plan`,
      toolUse: run.toolUse,
      tool: "ExitPlanMode",
      input: { plan },
      title: "Carry out this plan?",
      detail: plan,
      detailKind: "text",
      rule: null,
      poll: {
        options: answers.map(({ label }) => ({ label })),
        takesSeveral: false,
        editable: plan,
      },
    });
    if (!answer.allow) return textOutput(declined(answer.reason));
    // Clients that can only approve send no answer.
    const { answer: chosen = answers[0]?.label, text, plan: sent = text } = answer.input ?? {};
    const choice = answers.find(({ label }) => label === chosen);
    if (!choice) return textOutput(declined(String(chosen)));
    const approved = typeof sent === "string" && sent.trim() !== "" ? sent : plan;
    const how = approved === plan ? "this plan as you wrote it" : "the plan in this form";
    const changed = approved === plan ? "" : `:\n\n${approved}`;
    return {
      ...textOutput(
        `The user approved ${how}. Plan mode has ended; the permission mode is ${choice.mode}. Carry the plan out now${changed || "."}`,
      ),
      mode: choice.mode,
    };
  },
});

const declined = (reason?: string): string =>
  `The user did not approve the plan${reason ? ` and said: ${reason}` : ""}. Plan mode goes on: improve the plan, or ask what is missing.`;
