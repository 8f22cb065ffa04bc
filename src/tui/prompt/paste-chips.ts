/** Large pastes and images, folded to a word in the prompt and unfolded when it is sent. */

import type { ImageBlock } from "../../protocol/block.ts";

export type Chip = { label: string } & (
  { kind: "text"; text: string } | { kind: "image"; image: ImageBlock }
);

/** A paste that is larger than this is folded. */
const foldedFrom = { lines: 10, chars: 800 };

export const isLargePaste = (text: string): boolean =>
  text.length > foldedFrom.chars ||
  text.split("\n", foldedFrom.lines + 1).length > foldedFrom.lines;

let chips = 0;

/** Of its own for every chip, so that a message that is taken back keeps its pastes apart. */
export const nextNumber = (): number => ++chips;

export function textChip(number: number, text: string): Chip {
  const lines = text.split("\n").length;
  const size =
    lines > 1
      ? `${lines.toLocaleString("en")} lines`
      : `${text.length.toLocaleString("en")} characters`;
  return { kind: "text", label: `[Pasted #${number}, ${size}]`, text };
}

export const imageChip = (number: number, image: ImageBlock): Chip => ({
  kind: "image",
  label: `[Image #${number}]`,
  image,
});

/** The text with its pastes in full, and the images that it names. */
export function unfold(
  text: string,
  chips: readonly Chip[],
): { text: string; images: ImageBlock[] } {
  const images: ImageBlock[] = [];
  let full = text;
  for (const chip of chips) {
    if (!full.includes(chip.label)) continue;
    if (chip.kind === "image") images.push(chip.image);
    else full = full.replaceAll(chip.label, () => chip.text);
  }
  return { text: full, images };
}
