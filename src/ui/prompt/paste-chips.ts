/** Placeholders for large pastes and images, replaced when the prompt is sent. */

import { fileURLToPath } from "node:url";
import { control } from "../../base/escape-terminal.ts";
import type { ImageBlock } from "../../protocol/block.ts";

export type Chip = { label: string } & (
  { kind: "text"; text: string } | { kind: "image"; image: ImageBlock }
);

/** A text with the chips that are in it. */
export type Draft = { text: string; chips: readonly Chip[] };

const foldedFrom = { lines: 10, chars: 800 };

const isLargePaste = (text: string): boolean =>
  text.length > foldedFrom.chars ||
  text.split("\n", foldedFrom.lines + 1).length > foldedFrom.lines;

// eslint-disable-next-line no-control-regex -- colors and other sequences; an Escape left over would hide what follows
const colors = /\x1b\[[0-?]*[ -/]*[@-~]/g;

/** Numbers are unique, so that queued messages can be edited together. */
let lastNumber = 0;

/** The text to insert for a paste: placeholders for images or large text, or the text itself. */
export async function foldPaste(
  text: string,
  readImage: (path: string) => Promise<ImageBlock | null>,
): Promise<{ words: string; chips: Chip[] }> {
  const images = await Promise.all((droppedImages(text) ?? []).map(readImage));
  const found = images.filter((image) => image !== null);
  const clean = text
    .replaceAll("\r\n", "\n")
    .replaceAll("\r", "\n")
    .replace(colors, "")
    .replace(control, "");
  const isImages = found.length > 0 && found.length === images.length;
  if (!isImages && !isLargePaste(clean)) return { words: clean, chips: [] };
  const chips = isImages ? found.map(imageChip) : [textChip(clean)];
  return { words: chips.map(({ label }) => label).join(" "), chips };
}

function textChip(text: string): Chip {
  const lines = text.replace(/\n$/, "").split("\n").length;
  const size =
    lines > 1
      ? `${lines.toLocaleString("en")} lines`
      : `${text.length.toLocaleString("en")} characters`;
  return { kind: "text", label: `[Pasted #${++lastNumber}, ${size}]`, text };
}

export const imageChip = (image: ImageBlock): Chip => ({
  kind: "image",
  label: `[Image #${++lastNumber}]`,
  image,
});

/** The text with its pastes in full, and its images. */
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

const image = /\.(png|jpe?g|gif|webp)$/i;

/** A word, in quotes or with its spaces escaped, and the space after it. */
const word = /(?:'([^']*)'|"((?:\\.|[^"\\])*)"|((?:\\.|[^\s\\'"])+))\s*/gy;

const maxChars = 8_000;

/** Paths of dropped images: quoted, escaped, or URLs. null: the paste holds anything else. */
function droppedImages(paste: string): string[] | null {
  const text = paste.trim();
  if (text === "" || text.length > maxChars) return null;
  // Some terminals paste a path without escaping its spaces.
  if (/^[~/.]/.test(text) && image.test(text) && !/[\n'"\\]|\s[~/]/.test(text)) return [text];
  const paths: string[] = [];
  for (let at = 0; at < text.length;) {
    word.lastIndex = at;
    const [whole, single, double, bare] = word.exec(text) ?? [];
    if (whole === undefined) return null;
    const path = readPath(single ?? (double ?? bare ?? "").replace(/\\(.)/g, "$1"));
    if (path === null) return null;
    paths.push(path);
    at += whole.length;
  }
  return paths;
}

function readPath(written: string): string | null {
  if (!image.test(written)) return null;
  if (!written.startsWith("file://")) return /^[~/.]/.test(written) ? written : null;
  try {
    return fileURLToPath(written);
  } catch {
    // A file on another machine.
    return null;
  }
}
