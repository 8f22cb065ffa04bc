/** Permanently leaves out content that the API refuses, so that the session can continue. */

import type { Session } from "./session.ts";
import { clip, takeEnd } from "../base/clip.ts";
import { counted } from "../base/in-words.ts";
import { priceChanges } from "../context/meter/cache.ts";
import { imageSize } from "../context/meter/char-count.ts";
import type { Row, View } from "../context/types.ts";
import { type Block, type ImageBlock, isThinking, blockText } from "../protocol/block.ts";
import type { Change, CutFact, EntryId, EntryOf } from "../protocol/entry.ts";
import type { AgentEvent } from "../protocol/event.ts";
import type { Message } from "../protocol/model.ts";

/** A block that is sent, and where it is in the log. */
type Sent<B extends Block = Block> = { entry: EntryId; row: number; index: number; block: B };

type Repair = {
  /** For the user. */
  note: string;
  dropsThinking?: true;
  leftOut: { sent: Sent; reason: string }[];
};

export type ShrinkImage = (image: ImageBlock, side: number) => Promise<ImageBlock | null>;

/** Before a call: shrinks or leaves out images that the API would refuse. */
export async function* omitUnsendableImages(
  session: Session,
  shrink?: ShrinkImage,
): AsyncGenerator<AgentEvent, void> {
  const images = listImages(session.view);
  if (sumBytes(images) > maxImageBytes) yield* shrinkOldest(session, images, maxImageBytes, shrink);
  const repair = imageRepair(session.view, session.rules.windowTokens);
  if (repair) yield* record(session, repair);
}

/**
 * Before a call: where a cut has made the open loop's thinking stale, and the server would refuse it,
 * the loop becomes a record of what was done, and a new one begins.
 */
export async function* endStaleLoop(session: Session): AsyncGenerator<AgentEvent, void> {
  const { view, rules } = session;
  if (!view.staleThinking || !view.midLoop || !rules.refusesStaleThinking) return;
  const cut = foldOpenLoop(session, "the server would refuse the thinking of this turn");
  if (cut) yield await session.record(cut);
}

/**
 * After a refusal: leaves out what it names. Returns false when the message does not say what was
 * refused.
 */
export async function* repairRefused(
  session: Session,
  message: string,
): AsyncGenerator<AgentEvent, boolean> {
  const { view } = session;
  const thinks = view.messages.some(({ content }) => content.some(isThinking));
  if (aboutThinking.test(message) && (view.staleThinking || !thinks)) {
    const cut = foldOpenLoop(session);
    if (cut) yield await session.record(cut);
    return cut !== null;
  }
  const repair = repairFor(message, view);
  if (repair) yield* record(session, repair);
  return repair !== null;
}

/** Not just a model with "thinking" in its name. */
const aboutThinking = /`thinking`|\bthinking blocks?\b/i;

async function* record(
  session: Session,
  { note, dropsThinking, leftOut }: Repair,
): AsyncGenerator<AgentEvent, void> {
  const blocks = leftOut.map(({ sent: { entry, index, block }, reason }) => {
    const what = block.type === "image" ? "image" : "content";
    return { entry, index, text: `[${what} left out: ${reason}]` };
  });
  yield await session.record({
    type: "repair",
    ...(dropsThinking ? { dropsThinking } : {}),
    blocks,
  });
  yield await session.record({ type: "note", kind: "warning", text: note });
}

/** Limits of the API for images: sides in pixels, and how many there may be. */
const maxSide = 8_000;
const manyImages = 20;
const maxSideOfMany = 2_000;
const maxImages = (windowTokens: number): number => (windowTokens > 200_000 ? 600 : 100);
/** A request may have 32 MB; the rest is for its text. */
const maxImageBytes = 24_000_000;

const holdsImage = ({ content }: Message): boolean =>
  flattenBlocks(content).some(({ type }) => type === "image");

const listImages = (view: View): Sent<ImageBlock>[] =>
  view.messages.some(holdsImage) ? sentBlocks(view).filter(isImage) : [];

function imageRepair(view: View, windowTokens: number): Repair | null {
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
  if (sumBytes(images) > maxImageBytes) return withoutOldest(images, maxImageBytes / 2);
  const large = images.filter((image) => longestSide(image) > maxSideOfMany);
  if (images.length <= manyImages || large.length === 0) return null;
  const hint = `(with more than ${manyImages} images, none may have a side over 2,000 pixels)`;
  const isNew = large.some(({ row }) => row > lastAnswer(view));
  const removed = isNew ? images.slice(0, images.length - manyImages / 2) : large;
  return omission(removed, "too many large images", hint);
}

/** Leaves out the oldest images until the others take `most` bytes; the newest stays. */
function withoutOldest(images: readonly Sent<ImageBlock>[], most: number): Repair {
  let first = 0;
  while (first < images.length - 1 && sumBytes(images.slice(first)) > most) first++;
  const megabytes = Math.round(sumBytes(images) / 1_000_000);
  const hint = `(together they had ${megabytes} MB, more than a request may have; the oldest were removed)`;
  return omission(images.slice(0, first), "the request was too large", hint);
}

/** Sides of a shrunk image, in pixels: text in a screenshot is still read. */
const shrunkSide = 1_024;

/** Shrinks the oldest images until all take half of `limit` bytes; the newest stays as it is. */
async function* shrinkOldest(
  session: Session,
  images: readonly Sent<ImageBlock>[],
  limit: number,
  shrink: ShrinkImage | undefined,
): AsyncGenerator<AgentEvent, void> {
  if (!shrink) return;
  let bytes = sumBytes(images);
  const blocks: EntryOf<"repair">["blocks"] = [];
  for (const { entry, index, block } of images.slice(0, -1)) {
    if (bytes <= limit / 2) break;
    const image = await shrink(block, shrunkSide);
    if (!image) continue;
    bytes -= block.source.data.length - image.source.data.length;
    blocks.push({ entry, index, text: "[image shrunk]", image });
  }
  if (blocks.length === 0) return;
  yield await session.record({ type: "repair", blocks });
  const text = `${counted(blocks.length, "older image")} ${blocks.length === 1 ? "was" : "were"} shrunk to ${shrunkSide.toLocaleString("en")} pixels: a request may not have more bytes.`;
  yield await session.record({ type: "note", kind: "warning", text });
}

/** Bytes in a request. */
const sumBytes = (images: readonly Sent<ImageBlock>[]): number =>
  images.reduce((sum, { block }) => sum + block.source.data.length, 0);

/** After the refusal of a request for its bytes: halves the images. Returns false if there are none. */
export async function* repairTooManyBytes(
  session: Session,
  shrink?: ShrinkImage,
): AsyncGenerator<AgentEvent, boolean> {
  const images = listImages(session.view);
  if (images.length < 2) return false;
  const bytes = sumBytes(images);
  yield* shrinkOldest(session, images, bytes, shrink);
  const left = listImages(session.view);
  if (sumBytes(left) > bytes / 2) yield* record(session, withoutOldest(left, bytes / 2));
  return true;
}

/** The content to leave out after this refusal; null when it names none. */
function repairFor(message: string, view: View): Repair | null {
  if (/cache_control/.test(message)) return null;
  const sent = sentBlocks(view);
  if (aboutThinking.test(message)) {
    const note =
      "The API refused earlier thinking, which no longer matches the conversation; it is left out from now on.";
    return { note, dropsThinking: true, leftOut: [] };
  }
  const reason = "the API refused it";
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
  return { note, leftOut: blocks.map((sent) => ({ sent, reason })) };
}

/** Most characters kept of an input, or of an older result, and of a still older one. */
const maxChars = 4_000;
const fewChars = 200;
/** Characters of the newest results that are kept in full, for each token of the window; then as many of older ones. */
const wholeChars = 0.6;

/**
 * A cut that turns the open tool loop into text, for when the API accepts none of its thinking.
 * Null when no loop is open.
 */
export function foldOpenLoop(
  { signals }: Pick<Session, "signals">,
  reason = "the API refused the thinking of this turn",
): CutFact | null {
  const { view, rules } = signals;
  const rows = view.rows.slice(view.loopStart);
  const first = rows.findIndex(
    ({ entry }) => entry.type === "assistant" && entry.stop !== "failed",
  );
  const last = rows.findLastIndex(({ entry }) => entry.type === "result");
  const from = rows[first];
  const to = rows[last];
  if (!view.midLoop || !from || !to || last < first) return null;
  let room = rules.windowTokens * wholeChars;
  const steps = rows
    .slice(first, last + 1)
    .toReversed()
    .map((row) => {
      if (row.shown === "covered") {
        const left = Math.max(0, room + rules.windowTokens * wholeChars);
        return recordAt(view, row).map((record) => takeEnd(record, left));
      }
      const older = room > -rules.windowTokens * wholeChars ? maxChars : fewChars;
      const texts = describeRow(row, room > 0 ? Number.POSITIVE_INFINITY : older);
      room -= texts.reduce((sum, text) => sum + text.length, 0);
      return texts;
    })
    .toReversed();
  const text = ["What you did in this turn so far, as a record:", ...steps.flat()].join("\n\n");
  const span = { from: from.entry.id, to: to.entry.id };
  const changes: Change[] = [{ kind: "cover", span, text }];
  const price = priceChanges(signals, changes);
  return { type: "cut", tier: "manual", trigger: "auto", reason, changes, price, midLoop: true };
}

/** The text of a record, or a summary, that begins at a row of this loop. */
function recordAt(view: View, { entry }: Row): string[] {
  const at = view.indexOf(entry.id);
  const changes = view.covers.find(({ from }) => from === at)?.cut.changes ?? [];
  return changes.flatMap((change) =>
    change.kind === "cover" && change.span.from === entry.id ? [change.text] : [],
  );
}

/** A row as text, with calls and results clipped. */
function describeRow({ entry, text }: Row, most: number): string[] {
  switch (entry.type) {
    case "user":
      return [`The user: ${blockText(entry.content)}`];
    case "assistant":
      return entry.content.flatMap((block) => {
        if (block.type === "text") return [block.text];
        if (block.type !== "tool_use") return [];
        return [`You called ${block.name} with ${clip(JSON.stringify(block.input), maxChars)}`];
      });
    case "result":
      return [`Result of ${entry.tool}: ${clip(text ?? blockText(entry.content), most)}`];
    default:
      return [];
  }
}
