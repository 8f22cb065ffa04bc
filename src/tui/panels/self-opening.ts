import { useEffect } from "react";
import type { PartProps } from "../types.ts";

/** Opens the panel of a summary that waits for the person's word, once. */
export function useSelfOpening({ state, dispatch }: Pick<PartProps, "state" | "dispatch">): void {
  const review = state.compaction?.step === "review" ? state.compaction.id : null;
  const isCovered = state.panel !== null;
  useEffect(() => {
    if (review !== null && !isCovered) dispatch({ type: "panel", panel: { kind: "review" } });
    // Only a new summary opens it: one that was answered must not come back.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [review]);
}
