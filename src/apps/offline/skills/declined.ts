import type { Skill } from "../skill.ts";

/** The person said no to a call: that is taken as it is, and not tried in another way. */
export const declined: Skill = ({ steps }) => {
  const step = steps.find(
    ({ failed, text }) => failed && text.startsWith("The user declined this call"),
  );
  if (!step) return null;
  const reason = /^The user declined this call and said: ([\s\S]+)$/.exec(step.text)?.[1]?.trim();
  return {
    say: reason
      ? `You declined the call of \`${step.tool}\` and said: “${reason}”. I stopped there; that call did not run.`
      : `You declined the call of \`${step.tool}\`, so I stopped there; that call did not run.`,
  };
};
