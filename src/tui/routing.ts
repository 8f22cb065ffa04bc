/** Which parts get a key: a pure function of what is on the screen. */

/** The parts that take keys. */
export type Layer =
  "question" | "panel" | "search" | "completion" | "transcript" | "screen" | "prompt" | "exit";

export type Focus = {
  /** A question of the agent: still out of reach of keys, or waiting for an answer. */
  question: "none" | "guarded" | "answering";
  /** A panel is open. */
  panel: boolean;
  /** A search term is being typed. */
  search: boolean;
  /** The prompt offers completions, or vim is in a mode that Escape leaves. */
  completion: boolean;
  /** Keys act on a chosen item of the transcript. */
  transcript: boolean;
};

/** The layers that are offered a key, in order, until one takes it. */
export function layersOf(focus: Focus): readonly Layer[] {
  if (focus.question === "answering") return ["question", "prompt", "exit"];
  if (focus.question === "guarded") return ["question", "completion", "prompt", "exit"];
  if (focus.panel) return ["panel", "prompt", "exit"];
  if (focus.search) return ["search", "screen", "exit"];
  if (focus.transcript) return ["transcript", "screen", "prompt", "exit"];
  return focus.completion
    ? ["completion", "screen", "prompt", "exit"]
    : ["screen", "prompt", "exit"];
}
