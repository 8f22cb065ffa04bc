import { useLatest } from "../use-latest.ts";
import type { InputEvent } from "../keys.ts";

/**
 * For a question that comes by itself: who types on must not answer it with the next letter of a
 * word, or with Enter. Tab says that they have seen it; until then every other key is swallowed.
 */
export function useAnswerGuard(typing: boolean): {
  armed: boolean;
  /** True: the key was not meant for the question. */
  swallows(event: InputEvent): boolean;
} {
  const armed = useLatest(!typing);
  return {
    armed: armed.get(),
    swallows(event) {
      if (armed.get()) return false;
      if (event.type === "key") armed.set(event.chord === "tab");
      return true;
    },
  };
}
