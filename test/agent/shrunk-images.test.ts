/** Images are shrunk, oldest first, before any is left out for a request's bytes. */

import { expect, test } from "bun:test";
import {
  omitUnsendableImages,
  repairTooManyBytes,
  type ShrinkImage,
} from "../../src/agent/repair.ts";
import { Session } from "../../src/agent/session.ts";
import { project } from "../../src/context/view/view.ts";
import type { ImageBlock } from "../../src/protocol/block.ts";
import { defaultPolicy } from "../../src/protocol/policy.ts";
import { says, session as opening, user } from "../context/summary/say.ts";
import { of } from "./harness.ts";
import { MemoryLog } from "./memory-log.ts";
import { rules } from "./scripted.ts";

const makeImage = (data: string): ImageBlock => ({
  type: "image",
  source: { type: "base64", media_type: "image/png", data },
});

/** One screenshot for each letter, each of so many bytes. */
async function withImages(letters: string, bytes: number) {
  const session = new Session(new MemoryLog(), defaultPolicy, rules, () => 0);
  await session.append(opening);
  for (const letter of letters) {
    const image = makeImage(letter.repeat(bytes));
    await session.append({ type: "user", content: [{ type: "text", text: "look" }, image] });
    await session.append(says("I see."));
  }
  await session.append(user("go on"));
  return session;
}

/** Each image that is sent: its letter, and its bytes. */
const sent = ({ log }: Session): [string, number][] =>
  project(log.path).messages.flatMap(({ content }) =>
    content.flatMap((block): [string, number][] =>
      block.type === "image" ? [[block.source.data[0] ?? "", block.source.data.length]] : [],
    ),
  );

const toTenth = async ({ source }: ImageBlock): Promise<ImageBlock> =>
  makeImage(source.data.slice(0, source.data.length / 10));

const notes = ({ log }: Session): string[] => of(log.path, "note").map(({ text }) => text);

test("near the server's limit the oldest are shrunk, and the newest stays as it is", async () => {
  const session = await withImages("abcde", 6_000_000);
  await Array.fromAsync(omitUnsendableImages(session, toTenth));
  expect(sent(session)).toEqual([
    ["a", 600_000],
    ["b", 600_000],
    ["c", 600_000],
    ["d", 600_000],
    ["e", 6_000_000],
  ]);
  expect(notes(session)).toEqual([
    "4 older images were shrunk to 1,024 pixels: a request may not have more bytes.",
  ]);
  await Array.fromAsync(omitUnsendableImages(session, toTenth));
  expect(of(session.log.path, "repair")).toHaveLength(1);
});

test("after a refusal (413) too; what cannot be shrunk is left out", async () => {
  const some = await withImages("abc", 1_000);
  await Array.fromAsync(repairTooManyBytes(some, toTenth));
  expect(sent(some)).toEqual([
    ["a", 100],
    ["b", 100],
    ["c", 1_000],
  ]);
  const none = await withImages("abc", 1_000);
  await Array.fromAsync(repairTooManyBytes(none, async () => null));
  expect(sent(none)).toEqual([["c", 1_000]]);
});

test("after a refusal the only image is shrunk as well, and left out where that does not help", async () => {
  const one = await withImages("a", 2_000_000);
  expect(await repaired(one, toTenth)).toBe(true);
  expect(sent(one)).toEqual([["a", 200_000]]);
  expect(await repaired(one, async () => null)).toBe(true);
  expect(sent(one)).toEqual([]);
  expect(await repaired(one, toTenth)).toBe(false);
  expect(notes(one)).toEqual([
    "1 image was shrunk to 1,024 pixels: a request may not have more bytes.",
    "1 image was left out of the conversation (0.2 MB, more than a request may have).",
  ]);
});

/** Whether there was an image to repair. */
async function repaired(session: Session, shrink: ShrinkImage): Promise<boolean> {
  const repair = repairTooManyBytes(session, shrink);
  let step = await repair.next();
  while (!step.done) step = await repair.next();
  return step.value;
}
