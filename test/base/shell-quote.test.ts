import { expect, test } from "bun:test";
import { shellQuote } from "../../src/base/shell-quote.ts";

test.each(["", "plain", "it's", "''", '$HOME `id` \\ "x"\n*'])(
  "a shell reads %j as one word",
  (text) => {
    const { stdout } = Bun.spawnSync(["sh", "-c", `printf '[%s]' ${shellQuote(text)}`]);
    expect(stdout.toString()).toBe(`[${text}]`);
  },
);
