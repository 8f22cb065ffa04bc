import { expect, test } from "bun:test";
import { Builder, say } from "../context/build.ts";
import { stage } from "./stage.ts";

test("/pager shows the conversation with a heading over your messages", async () => {
  let shown = "";
  const page = async (text: string) => void (shown = text);
  const builder = new Builder();
  builder.user("why?");
  builder.answer([say("because")]);
  const { press, settle } = stage(builder, { services: { page } });
  await press("/pager", "<enter>");
  await settle();
  expect(shown).toBe("## You\n\nwhy?\n\nbecause\n");
});
