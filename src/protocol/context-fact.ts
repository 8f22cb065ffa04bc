import type { ContextFact } from "./entry.ts";

/** A text that the program tells the model. */
export const contextFact = (
  kind: ContextFact["kind"],
  title: string,
  text: string,
): ContextFact => ({ type: "context", kind, title, content: [{ type: "text", text }] });
