let segmenter: Intl.Segmenter | undefined;

/** Divides a text into characters as people see them. Made on first use, which takes milliseconds. */
export const graphemes = (text: string): Intl.Segments =>
  (segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" })).segment(text);
