/** A resumed session equals one that was followed live. */

import { expect, test } from "bun:test";
import { defaultSettings } from "../../src/config/schema.ts";
import { LiveView } from "../../src/context/view/view.ts";
import { initialState, withEntry } from "../../src/ui/state.ts";
import { Store } from "../../src/ui/store.ts";
import { Builder, rules, say } from "../context/build.ts";

test("a long session is resumed whole, and equals the live one", () => {
  const session = new Builder();
  for (let turn = 0; turn < 600; turn++) {
    session.user(`Question ${turn}`);
    session.step(`c${turn}`, "some output");
    session.answer([say(`Answer ${turn}`)]);
  }
  const { path } = session;
  const live = new LiveView({ path, entries: path });
  const store = new Store({
    model: rules.model,
    settings: defaultSettings,
    rules,
    live,
    now: () => 0,
  });
  expect(store.state).toEqual(path.reduce(withEntry, initialState(rules.model, "default")));
  expect(store.view.rows).toHaveLength(path.length);
});
