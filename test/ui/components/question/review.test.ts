import { expect, test } from "bun:test";
import { Builder } from "../../../context/build.ts";
import { stage } from "../../stage.ts";

/** A pause without keys after which a question takes answers. */
const quietMs = 500;

const review = { step: "review" as const, id: "r1", text: "The user wants ships.\nOpen: sails." };

const open = async (state = review, edit = async (text: string) => text) => {
  const one = stage(new Builder(), { services: { edit } });
  await one.tell({ type: "compaction", state });
  one.wait(quietMs);
  return one;
};

test("shows the summary, and uses it on Enter", async () => {
  const { frame, press, sent } = await open();
  expect(frame()).toContain("The user wants ships.");
  await press("<enter>");
  expect(sent).toEqual([{ type: "review", id: "r1", text: review.text }]);
});

test("uses the edited summary", async () => {
  const { frame, press, sent } = await open(review, async (text) => `${text} Keep the red one.`);
  await press("e");
  expect(frame()).toContain("Edited by you.");
  await press("y");
  expect(sent).toEqual([{ type: "review", id: "r1", text: `${review.text} Keep the red one.` }]);
});

test("an editor that fails is reported, and the question stays", async () => {
  const { frame, press, message } = await open(review, () =>
    Promise.reject(new Error("The editor cannot be started.")),
  );
  await press("e");
  expect(message()).toBe("The editor cannot be started.");
  expect(frame()).toContain("The user wants ships.");
});

test("Esc discards it", async () => {
  const { press, sent } = await open();
  await press("<escape>");
  expect(sent).toEqual([{ type: "review", id: "r1", text: null }]);
});

test("codes in a summary are shown, and hide nothing", async () => {
  const { frame } = await open({
    ...review,
    text: "before\x1b[2J\x1b]0;title\x07after\rover",
  });
  expect(frame()).toContain("before<U+001B>[2J<U+001B>]0;title<U+0007>after␍over");
});
