/** What is read of a view stays as it was. */

import { expect, test } from "bun:test";
import fc from "../../properties.ts";
import { buildRequest } from "../../../src/context/request.ts";
import { Projection } from "../../../src/context/view/view.ts";
import { defaultPolicy } from "../../../src/protocol/policy.ts";
import { rules } from "../build.ts";
import { paths } from "../sessions.ts";

const wide = { ...rules, windowTokens: 1_000_000_000 };

test("earlier readings and requests never change later", () => {
  fc.assert(
    fc.property(paths(), (path) => {
      const projection = new Projection();
      const kept: { value: unknown; json: string }[] = [];
      const keep = (value: unknown) => kept.push({ value, json: JSON.stringify(value) });
      for (const [index, entry] of path.entries()) {
        if (index % 4 === 0) keep(projection.view.messages);
        if (entry.type === "assistant" && index % 3 === 0) {
          const request = buildRequest(projection.view, wide, defaultPolicy);
          keep(request);
        }
        projection.push(entry);
      }
      for (const { value, json } of kept) expect(JSON.stringify(value)).toBe(json);
    }),
    { numRuns: 60 },
  );
});
