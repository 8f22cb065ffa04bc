import { answer, type Script } from "../script.ts";

const examples = `- what is this project?
- how do I run the tests?
- where is NAME defined?
- explain FILE
- replace "old text" with "new text" in FILE
- run COMMAND`;

/** The answer to everything else: what this model is, and requests that it understands. */
export function help(request: string): Script {
  const text = request.trim();
  if (/^(?:thanks|thank you)(?: (?:a lot|so much|very much))?[.!]*$/i.test(text))
    return answer("You're welcome.");
  const isGreeting = /^(?:hi|hello|hey|good (?:morning|evening|day))\b/i.test(text);
  const isAsked =
    /\b(?:what can you do|help|who are you|what are you|which model|are you claude)\b/i.test(text);
  const who = "the offline model, not a language model";
  const opening = isGreeting
    ? `Hello! I'm ${who}.`
    : isAsked
      ? `I'm ${who}: I search, read and edit files and run commands by fixed rules.`
      : `I can't do that: I'm ${who}.`;
  return answer(`${opening} Try:\n${examples}\n\nOr use /connect to set up a real model.`);
}
