import { expect, test } from "bun:test";
import { ReviewPanel } from "../../../src/tui/panels/review.tsx";
import { Builder } from "../../context/build.ts";
import { stage } from "./stage.tsx";

const review = { step: "review" as const, id: "r1", text: "The user wants ships.\nOpen: sails." };

const open = (typing: boolean, edit = async (text: string) => text) =>
  stage(new Builder(), (props) => <ReviewPanel {...props} review={review} typing={typing} />, {
    services: { edit },
  });

test("shows the summary, and puts it in place with Enter", async () => {
  const { frame, press, sent, end } = open(false);
  await press();
  expect(frame()).toContain("The user wants ships.");
  await press("<enter>");
  expect(sent).toEqual([{ type: "review", id: "r1", text: review.text }]);
  end();
});

test("sends what the person made of it", async () => {
  const { frame, press, sent, end } = open(false, async (text) => `${text} Keep the red one.`);
  await press("e");
  expect(frame()).toContain("changed by you");
  await press("<enter>");
  expect(sent).toEqual([{ type: "review", id: "r1", text: `${review.text} Keep the red one.` }]);
  end();
});

test("Esc leaves everything as it is", async () => {
  const { press, sent, end } = open(false);
  await press("<escape>");
  expect(sent).toEqual([{ type: "review", id: "r1", text: null }]);
  end();
});

test("who was typing does not accept it by accident", async () => {
  const { frame, press, sent, end } = open(true);
  await press("more words", "<enter>");
  expect(sent).toEqual([]);
  expect(frame()).toContain("You were typing");
  await press("<tab>", "<enter>");
  expect(sent).toHaveLength(1);
  end();
});

test("codes in a summary are text", async () => {
  const evil = { ...review, text: "before\x1b[2J\x1b]0;title\x07after" };
  const { frame, settle, end } = stage(new Builder(), (props) => (
    <ReviewPanel {...props} review={evil} typing={false} />
  ));
  await settle();
  expect(frame()).toContain("beforeafter");
  end();
});
