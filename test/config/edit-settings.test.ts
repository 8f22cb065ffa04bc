import { expect, test } from "bun:test";
import {
  editableSettings,
  editSetting,
  isDefault,
  showSetting,
  allSettings,
  defaultSettings,
} from "../../src/config/settings.ts";
import { readPage } from "../docs/pages.ts";

const manual = readPage("settings");
const all = editableSettings(manual);

function setting(name: string) {
  const found = all.find((one) => one.id === name);
  if (!found) throw new Error(`no setting ${name}`);
  return found;
}

test("the manual explains every setting once, in sentences, with its default", () => {
  const ids = allSettings.map(({ path }) => path.join("."));
  expect(all.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  expect(all.filter(({ means }) => !/^.{10,}\.$/.test(means)).map(({ id }) => id)).toEqual([]);
  for (const one of all) {
    const value = showSetting(defaultSettings, one);
    const shown = value === "" || value === "{}" ? "" : ` (\`${value}\`)`;
    expect(manual).toContain(`- \`${one.id}\`${shown}: ${one.means}\n`);
  }
});

test("every default can be written as it is shown", () => {
  for (const one of all) {
    const text = showSetting(defaultSettings, one);
    expect(isDefault(defaultSettings, one)).toBe(true);
    expect(editSetting(defaultSettings, one, text)).toMatchObject({ settings: defaultSettings });
  }
});

test("values are read by their type; an empty text means the default", () => {
  const changed = (name: string, text: string) => {
    const edited = editSetting(defaultSettings, setting(name), text);
    return "problem" in edited ? edited.problem : edited.value;
  };
  expect(changed("snipAt", "0.5")).toBe(0.5);
  expect(changed("windowTokens", "200k")).toBe(200_000);
  expect(changed("mouse", "false")).toBe(false);
  expect(changed("addDirs", "/a, /b")).toEqual(["/a", "/b"]);
  expect(changed("keys", '{"compact":["ctrl-k"]}')).toEqual({ compact: ["ctrl-k"] });
  const own = { ...defaultSettings, model: "x" };
  expect(editSetting(own, setting("model"), "")).toEqual({
    settings: defaultSettings,
    value: undefined,
  });
  expect(changed("snipAt", "much")).toBe("snipAt must be a number, not much.");
  expect(changed("keys", '{"compct":["f5"]}')).toStartWith("unknown action “compct”");
  expect(changed("theme", "pink")).toContain("must be one of auto, dark, light");
});

test("settings with few values list them", () => {
  expect(setting("vim").values).toEqual(["true", "false"]);
  expect(setting("balance").values).toEqual(["keep", "balanced", "save"]);
  expect(setting("effort").values).toContain("low");
  expect(setting("model").values).toBeNull();
});

test.each([
  ["reserveTokens", "0", "-1"],
  ["summary.keepTurns", "1", "0"],
  ["keepResults", "1", "0"],
  ["snipAt", "0.05", "0.04"],
  ["snipAt", "1", "1.01"],
  ["mcpToolShare", "0", "-0.1"],
  ["mcpToolShare", "1", "1.1"],
])("%s may be %s, but not “%s”", (name, within, beyond) => {
  const findProblem = (text: string) =>
    "problem" in editSetting(defaultSettings, setting(name), text);
  expect(findProblem(within)).toBe(false);
  expect(findProblem(beyond)).toBe(true);
});
