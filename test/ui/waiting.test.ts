/** While the next summary is written, keys are echoed, the next prompt is answered, and it is used later. */

import { expect, test } from "bun:test";
import { say, startFakeApi } from "../fake-api/index.ts";
import { goodSummary } from "../agent/compaction/harness.ts";
import { idle, program } from "./program.ts";

/** A message that is sent before a turn has ended becomes part of it. */
const heard = (part: number) => (screen: string) =>
  screen.includes(`Heard part ${part}.`) && idle.test(screen);

test("26 keys typed during a summary are echoed, and the next prompt is answered before it", async () => {
  const summary = Promise.withResolvers<string>();
  const api = startFakeApi({
    model: { windowTokens: 60_000 },
    responder: async ({ messages }) => {
      const asked = JSON.stringify(messages.at(-1)?.content);
      if (asked.includes("<analysis>")) return say(await summary.promise);
      return say(`Heard ${/part \d+/.exec(asked)?.[0] ?? "nothing"}.`);
    },
  });
  const one = await program("waiting");
  const settings = { provider: "anthropic", baseUrl: api.url, policy: { engine: "client" } };
  await Bun.write(`${one.env["MINI_CLAUDE_HOME"]}/settings.json`, JSON.stringify(settings));
  const pty = await one.open({ env: { ANTHROPIC_API_KEY: "k" }, cols: 140 });
  for (let part = 1; part <= 5; part++) {
    await pty.paste(`part ${part} ${"word after word ".repeat(part < 5 ? 2_460 : 2_590)}`);
    await pty.hit("enter", heard(part));
  }
  await pty.waitFor("Writing the next summary in the background");
  let typed = "";
  for (let key = 0; key < 26; key++) {
    const letter = String.fromCharCode(97 + key);
    typed += letter;
    await pty.type(letter);
    await pty.waitFor(typed);
  }
  await pty.press("ctrl+u");
  await pty.type("part 6");
  await pty.hit("enter", heard(6));
  summary.resolve(goodSummary());
  await pty.waitFor("summary ready");
  await pty.paste(`part 7 ${"and on ".repeat(1_600)}`);
  await pty.hit("enter", heard(7));
  await pty.type("part 8");
  await pty.hit("enter", heard(8));
  await pty.waitFor("turns summarized");
  expect(api.refusals).toEqual([]);
  await api.stop();
  await one.remove();
});
