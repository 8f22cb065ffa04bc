/** Content that the API refused, and that all later requests leave out. */

import { counted } from "../../base/format.ts";
import type { Block, ImageBlock } from "../../protocol/block.ts";
import type { EntryId, EntryOf } from "../../protocol/entry.ts";
import { imageSize } from "../../protocol/image.ts";
import type { View } from "../types.ts";

/** A block that is sent, and where it is in the log. */
export type Sent<B extends Block = Block> = {
  entry: EntryId;
  row: number;
  index: number;
  block: B;
};

export type Repair = {
  /** For the user. */
  note: string;
  dropsThinking?: true;
  blocks: EntryOf<"repair">["blocks"];
};

/** Not just a model with "thinking" in its name. */
export const aboutThinking = /`thinking`|\bthinking blocks?\b/i;

/** Limits of the API for images: sides in pixels, and how many there may be. */
const maxSide = 8_000;
const manyImages = 20;
const maxSideOfMany = 2_000;
const maxImages = (windowTokens: number): number => (windowTokens > 200_000 ? 600 : 100);
/** A request may have 32 MB; the rest is for its text. */
export const maxImageBytes = 24_000_000;

const holdsImage = ({ content }: { content: readonly Block[] }): boolean =>
  content.some(
    (block) => block.type === "image" || (block.type === "tool_result" && holdsImage(block)),
  );

export const listImages = (view: View): Sent<ImageBlock>[] =>
  view.messages.some(holdsImage) ? sentBlocks(view).filter(isImage) : [];

/** The images that the API would refuse; null: it takes them all. */
export function imageRepair(view: View, windowTokens: number): Repair | null {
  const images = listImages(view);
  const tooLarge = images.filter((image) => longestSide(image) > maxSide);
  if (tooLarge.length > 0) {
    const sizes = tooLarge.map(({ block }) => sizeText(block)).join(", ");
    const reason = "a side is longer than 8,000 pixels, more than the API accepts";
    return omission(tooLarge, reason, `(${sizes} pixels; at most 8,000 a side)`);
  }
  const most = maxImages(windowTokens);
  if (images.length > most) {
    const oldest = images.slice(0, images.length - Math.floor(most / 2));
    return omission(
      oldest,
      "too many images",
      `(the API accepts ${most}; the oldest were removed)`,
    );
  }
  const heavy = images.filter((image) => sumBytes([image]) > maxImageBytes);
  if (heavy.length > 0) return tooHeavy(heavy);
  if (sumBytes(images) > maxImageBytes) return withoutOldest(images, maxImageBytes / 2);
  const large = images.filter((image) => longestSide(image) > maxSideOfMany);
  if (images.length <= manyImages || large.length === 0) return null;
  const hint = `(with more than ${manyImages} images, none may have a side over 2,000 pixels)`;
  const isNew = large.some(({ row }) => row > lastAnswer(view));
  const removed = isNew ? images.slice(0, images.length - manyImages / 2) : large;
  return omission(removed, "too many large images", hint);
}

/** Leaves out the oldest images until the others take `most` bytes; the newest of several stays. */
export function withoutOldest(images: readonly Sent<ImageBlock>[], most: number): Repair {
  if (images.length === 1) return tooHeavy(images);
  let first = 0;
  while (first < images.length - 1 && sumBytes(images.slice(first)) > most) first++;
  const hint = `(together they had ${inMegabytes(images)}, ${tooMuch}; the oldest were removed)`;
  return omission(images.slice(0, first), requestTooLarge, hint);
}

const tooHeavy = (images: readonly Sent<ImageBlock>[]): Repair =>
  omission(images, requestTooLarge, `(${inMegabytes(images)}, ${tooMuch})`);

const requestTooLarge = "the request was too large";
const tooMuch = "more than a request may have";

const inMegabytes = (images: readonly Sent<ImageBlock>[]): string =>
  `${Number((sumBytes(images) / 1_000_000).toPrecision(2))} MB`;

/** Bytes in a request. */
export const sumBytes = (images: readonly Sent<ImageBlock>[]): number =>
  images.reduce((sum, { block }) => sum + block.source.data.length, 0);

/** The content to leave out after this refusal; null when it names none. */
export function repairFor(message: string, view: View): Repair | null {
  if (/cache_control/.test(message)) return null;
  if (aboutThinking.test(message)) {
    const note =
      "The API refused earlier thinking, which no longer matches the conversation; it is left out from now on.";
    return { note, dropsThinking: true, blocks: [] };
  }
  const reason = "the API refused it";
  const sent = sentBlocks(view);
  const named = new Set(namedBlocks(message, view).map(blockData));
  const refused = sent.filter(({ block }) => named.has(blockData(block)));
  if (refused.length > 0) return omission(refused, reason, "(the API refused it)");
  if (!/\b(image|media)\b/i.test(message)) return null;
  const images = sent.filter(isImage);
  const unanswered = images.filter(({ row }) => row > lastAnswer(view));
  const suspects = unanswered.length > 0 ? unanswered : images;
  return suspects.length > 0 ? omission(suspects, reason, "(the API refused it)") : null;
}

/** The blocks at the place that the API names, such as "messages.3.content.1.image". */
function namedBlocks(message: string, view: View): Block[] {
  const place = /messages\.(\d+)\.content\.(\d+)(?:\.tool_result)?(?:\.content\.(\d+))?/.exec(
    message,
  );
  if (!place) return [];
  const [index, at, inner] = place.slice(1).map(Number);
  const block = view.messages[index ?? 0]?.content[at ?? 0];
  if (block?.type !== "tool_result") return block ? [block] : [];
  const named = block.content[inner ?? Number.NaN];
  return named ? [named] : block.content;
}

/** Text and images that are sent unchanged, in order. */
function sentBlocks(view: View): Sent[] {
  const inRequest = new Set(
    view.messages.flatMap(({ content }) => flattenBlocks(content).map(blockData)),
  );
  const sent: Sent[] = [];
  for (const [row, shownRow] of view.rows.entries()) {
    if (shownRow.shown === "covered" || shownRow.shown === "unsent") continue;
    const { entry } = shownRow;
    if (!("content" in entry)) continue;
    for (const [index, block] of entry.content.entries())
      if ((block.type === "text" || block.type === "image") && inRequest.has(blockData(block)))
        sent.push({ entry: entry.id, row, index, block });
  }
  return sent;
}

/** Identifies a block by its content: an old entry is read from disk, as new objects each time. */
function blockData(block: Block): string | null {
  if (block.type === "text") return block.text;
  return block.type === "image" ? block.source.data : null;
}

/** The blocks of a message, those of its results included. */
const flattenBlocks = (content: readonly Block[]): Block[] =>
  content.flatMap((block) => (block.type === "tool_result" ? block.content : [block]));

const isImage = (sent: Sent): sent is Sent<ImageBlock> => sent.block.type === "image";

const lastAnswer = (view: View): number =>
  view.rows.findLastIndex(({ entry }) => entry.type === "assistant" && entry.stop !== "failed");

function longestSide({ block }: Sent<ImageBlock>): number {
  const size = imageSize(block);
  return size ? Math.max(size.width, size.height) : 0;
}

function sizeText(block: ImageBlock): string {
  const size = imageSize(block);
  return size ? `${size.width.toLocaleString("en")} × ${size.height.toLocaleString("en")}` : "?";
}

function omission(blocks: readonly Sent[], reason: string, hint: string): Repair {
  const images = blocks.filter(isImage).length;
  const others = blocks.length - images;
  const what = [
    ...(images > 0 ? [`${counted(images, "image")} ${images === 1 ? "was" : "were"}`] : []),
    ...(others > 0 ? [`${counted(others, "block")} ${others === 1 ? "was" : "were"}`] : []),
  ];
  const note = `${what.join(" and ")} left out of the conversation ${hint}.`;
  return {
    note,
    blocks: blocks.map(({ entry, index, block }) => {
      const kind = block.type === "image" ? "image" : "content";
      return { entry, index, text: `[${kind} left out: ${reason}]` };
    }),
  };
}
