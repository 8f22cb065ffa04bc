import type { EntryOf } from "../protocol/entry.ts";
import { uuidOf } from "./ids.ts";

/** The boundary of a cut, and the text of a summary. */
export function cutMessages(cut: EntryOf<"cut">): { uuid: string; [key: string]: unknown }[] {
  const { tier, trigger, price, changes } = cut;
  const isAutomatic = trigger === "auto" || trigger === "idle" || trigger === "too-long";
  const boundary = {
    type: "system",
    subtype: "compact_boundary",
    compact_metadata: {
      trigger: isAutomatic ? "auto" : "manual",
      pre_tokens: price.usedBefore,
      post_tokens: price.usedAfter,
      tier,
    },
    uuid: uuidOf(cut),
  };
  const summaries = changes.flatMap((change) => (change.kind === "cover" ? [change.text] : []));
  return [
    boundary,
    ...summaries.map((text, index) => ({
      type: "user",
      message: { role: "user", content: text },
      isSynthetic: true,
      uuid: uuidOf(cut, index + 1),
    })),
  ];
}
