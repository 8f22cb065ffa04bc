import { unwrapMarkdown } from "../../base/format.ts";
import { layoutMarkdown, withoutHyperlinks } from "./layout.ts";

/** A topic of the manual as lines without styles. */
export const layoutTopic = (text: string, columns: number): string[] =>
  layoutMarkdown(unwrapMarkdown(text), columns, {
    name: "none",
    colors: 16,
    paint: (_role, plain) => plain,
    props: () => ({}),
  }).map(withoutHyperlinks);
