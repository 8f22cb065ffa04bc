/** Both kinds of lines; panels import them from here. */

export * from "./painted-text.ts";
export * from "./spans.ts";
