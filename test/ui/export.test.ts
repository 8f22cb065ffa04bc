import { expect, test } from "bun:test";
import type { Progress } from "../../src/base/long-work.ts";
import { Builder } from "../context/build.ts";
import { stage } from "./stage.ts";

test("/export shows how far it is once it takes a while, then the file", async () => {
  const written = Promise.withResolvers<string>();
  let report: Progress = () => {};
  const { press, message, settle, wait } = stage(new Builder(), {
    services: {
      exportSession(name, progress) {
        report = progress;
        expect(name).toBe("talk.html");
        return written.promise;
      },
    },
  });
  await press("/export talk.html", "<enter>");
  report(1, 2, "");
  expect(message()).toBe("");
  wait(200);
  report(1, 2, "");
  expect(message()).toBe(`▐${"█".repeat(12)}${"░".repeat(12)}▌ Exporting …`);
  written.resolve("/w/talk.html");
  await settle();
  expect(message()).toBe("Exported to /w/talk.html.");
});
