/** Some terminals have no Alt key, and tmux and screen take Ctrl-B and Ctrl-A. */

import { expect, test } from "bun:test";
import { actions, keyActions } from "../../../src/config/keys.ts";
import { editByKey, emptyEditor, insert } from "../../../src/ui/prompt/editor.ts";

test.each([
  ["Alt", /^alt\+/],
  ["the prefix of tmux", /^ctrl\+b$/],
  ["the prefix of screen", /^ctrl\+a$/],
])("every action has a key without %s", (_, taken) => {
  const without = keyActions.filter((name) => actions[name].chords.every((one) => taken.test(one)));
  expect(without).toEqual([]);
});

test.each([
  ["alt+b", "ctrl+left"],
  ["alt+f", "ctrl+right"],
  ["alt+d", "ctrl+delete"],
  ["alt+backspace", "ctrl+w"],
  ["alt+z", "ctrl+]"],
  ["ctrl+a", "home"],
])("%s edits like %s", (chord, twin) => {
  for (const cursor of [0, 4, 9]) {
    const editor = { ...insert(emptyEditor, "one two three"), cursor };
    const edited = editByKey(editor, chord, "");
    expect(edited).not.toBeNull();
    expect(editByKey(editor, twin, "")).toEqual(edited);
  }
});
