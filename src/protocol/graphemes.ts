let segmenter: Intl.Segmenter | undefined;

/** Divides a text into user-perceived characters. Made on first use, which takes milliseconds. */
export const graphemes = (text: string): Intl.Segments =>
  (segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" })).segment(text);
