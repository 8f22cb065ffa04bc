import { expect, test } from "bun:test";
import { Builder } from "../context/build.ts";
import { stage } from "./stage.ts";

test("/export names the file", async () => {
  const { press, message, settle } = stage(new Builder(), {
    services: { exportSession: async (name) => `/w/${name}` },
  });
  await press("/export talk.html", "<enter>");
  await settle();
  expect(message()).toBe("Exported to /w/talk.html.");
});
