/** Permanently leaves out content that the API refuses, so that the session can continue. */

import type { Session } from "./session.ts";
import { counted } from "../base/format.ts";
import { foldOpenLoop } from "../context/tiers/fold-loop.ts";
import {
  aboutThinking,
  imageRepair,
  listImages,
  maxImageBytes,
  repairFor,
  sumBytes,
  withoutOldest,
  type Repair,
  type Sent,
} from "../context/rules/left-out.ts";
import { type ImageBlock, isThinking } from "../protocol/block.ts";
import type { Events } from "../protocol/event.ts";

export type ShrinkImage = (image: ImageBlock, side: number) => Promise<ImageBlock | null>;

/** Before a call: shrinks or leaves out images that the API would refuse. */
export async function* omitUnsendableImages(session: Session, shrink?: ShrinkImage): Events {
  const images = listImages(session.view);
  if (images.length === 0) return;
  if (sumBytes(images) > maxImageBytes) yield* shrinkOldest(session, images, maxImageBytes, shrink);
  const repair = imageRepair(session.view, session.rules.windowTokens);
  if (repair) yield* record(session, repair);
}

/**
 * Before a call: where a cut has made the open loop's thinking stale, and the server would refuse it,
 * the loop becomes a record of what was done, and a new one begins.
 */
export async function* endStaleLoop(session: Session): Events {
  const { view, rules } = session;
  if (!view.staleThinking || !view.midLoop || !rules.refusesStaleThinking) return;
  const cut = foldOpenLoop(session.signals, "the server would refuse the thinking of this turn");
  if (cut) yield await session.record(cut);
}

/**
 * After a refusal: leaves out the content that it names. Returns false when the message does not say what was
 * refused.
 */
export async function* repairRefused(session: Session, message: string): Events<boolean> {
  const { view } = session;
  const thinks = view.messages.some(({ content }) => content.some(isThinking));
  if (aboutThinking.test(message) && (view.staleThinking || !thinks)) {
    const cut = foldOpenLoop(session.signals);
    if (cut) yield await session.record(cut);
    return cut !== null;
  }
  const repair = repairFor(message, view);
  if (repair) yield* record(session, repair);
  return repair !== null;
}

async function* record(session: Session, { note, ...repair }: Repair): Events {
  yield await session.record({ type: "repair", ...repair });
  yield await session.record({ type: "note", kind: "warning", text: note });
}

/** Sides of a shrunk image, in pixels: text in a screenshot is still read. */
const shrunkSide = 1_024;

/** Shrinks the oldest images until all take half of `limit` bytes; the newest of several stays as it is. */
async function* shrinkOldest(
  session: Session,
  images: readonly Sent<ImageBlock>[],
  limit: number,
  shrink: ShrinkImage | undefined,
): Events {
  if (!shrink) return;
  let bytes = sumBytes(images);
  const blocks: Repair["blocks"] = [];
  const isAlone = images.length === 1;
  for (const { entry, index, block } of isAlone ? images : images.slice(0, -1)) {
    if (bytes <= limit / 2) break;
    const image = await shrink(block, shrunkSide);
    if (!image) continue;
    bytes -= block.source.data.length - image.source.data.length;
    blocks.push({ entry, index, text: "[image shrunk]", image });
  }
  if (blocks.length === 0) return;
  const note = `${counted(blocks.length, isAlone ? "image" : "older image")} ${blocks.length === 1 ? "was" : "were"} shrunk to ${shrunkSide.toLocaleString("en")} pixels: a request may not have more bytes.`;
  yield* record(session, { note, blocks });
}

/** After the refusal of a request for its bytes: halves the images. Returns false if there are none. */
export async function* repairTooManyBytes(session: Session, shrink?: ShrinkImage): Events<boolean> {
  const images = listImages(session.view);
  if (images.length === 0) return false;
  const bytes = sumBytes(images);
  yield* shrinkOldest(session, images, bytes, shrink);
  const left = listImages(session.view);
  if (sumBytes(left) > bytes / 2) yield* record(session, withoutOldest(left, bytes / 2));
  return true;
}
