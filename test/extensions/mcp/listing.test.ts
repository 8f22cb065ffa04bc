/** What is taken over of what a server lists, and how much of it. */

import { expect, test } from "bun:test";
import {
  acceptPrompts,
  acceptResources,
  acceptTools,
} from "../../../src/extensions/mcp/listing.ts";

const numbered = <T>(count: number, make: (name: string) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(`n${at}`));

test("of tools the first 300 are used, and the rest is mentioned", () => {
  const listed = (count: number) =>
    acceptTools(
      "s",
      numbered(count, (name) => ({ name, inputSchema: {} })),
    );
  expect(listed(300).problems).toEqual([]);
  const { tools, problems } = listed(301);
  expect(tools).toHaveLength(300);
  expect(problems).toEqual(["only the first 300 tools are used"]);
});

test("a tool has its title or else its name, and at most 2,000 characters of description", () => {
  const description = "x".repeat(2_001);
  const { tools } = acceptTools("s", [
    { name: "a", title: " The\nfirst ", description, inputSchema: {} },
    { name: "b", title: "y".repeat(201), inputSchema: {} },
    { name: "c", title: " ", inputSchema: {} },
  ]);
  expect(tools.map(({ title }) => title)).toEqual(["The first", `${"y".repeat(199)}…`, "c"]);
  expect(tools[0]?.definition.description).toBe(`${"x".repeat(1_999)}…`);
  expect(tools[1]?.definition.description).toBe("");
});

test("a prompt needs a name that can be typed; it has 20 arguments at most", () => {
  const some = numbered(21, (name) => ({ name, required: name === "n1" }));
  const prompts = acceptPrompts([
    { name: "go.to_it-1", description: "a\nb", arguments: some },
    { name: "two words" },
    { name: "x".repeat(64) },
    { name: "x".repeat(65) },
  ]);
  expect(prompts.map(({ name }) => name)).toEqual(["go.to_it-1", "x".repeat(64)]);
  expect(prompts[0]).toMatchObject({ description: "a b" });
  expect(prompts[0]?.arguments).toHaveLength(20);
  expect(prompts[0]?.arguments.slice(0, 2)).toEqual([
    { name: "n0", required: false },
    { name: "n1", required: true },
  ]);
  expect(prompts[1]).toMatchObject({ description: "", arguments: [] });
  expect(acceptPrompts(numbered(101, (name) => ({ name })))).toHaveLength(100);
});

test("of resources the first 500 are used, each line cleaned", () => {
  const [one] = acceptResources([{ uri: "f://a", name: " a\n", description: "\x1b[2Jd" }]);
  expect(one).toEqual({ uri: "f://a", name: "a", description: "d", mimeType: "" });
  const many = numbered(501, (name) => ({ uri: `f://${name}`, name }));
  expect(acceptResources(many)).toHaveLength(500);
});
