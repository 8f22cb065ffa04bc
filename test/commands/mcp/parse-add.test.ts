import { expect, test } from "bun:test";
import { parseMcpAdd } from "../../../src/commands/mcp/mcp.ts";

const parse = (line: string) => parseMcpAdd(line.split(" "));

test("a command after --, with variables and a scope", () => {
  expect(parse("-s user -e A=1 B=2 --env=C=3 files -- npx -y pkg --root /tmp")).toEqual({
    name: "files",
    scope: "user",
    config: {
      type: "stdio",
      command: "npx",
      args: ["-y", "pkg", "--root", "/tmp"],
      env: { A: "1", B: "2", C: "3" },
    },
  });
});

test("options may follow the name, and the command needs no --", () => {
  expect(parse("files -s project npx pkg -y")).toMatchObject({
    name: "files",
    scope: "project",
    config: { command: "npx", args: ["pkg", "-y"] },
  });
});

test("an address, with headers before or after it", () => {
  const expected = {
    type: "http",
    url: "https://x.test/mcp",
    headers: { "X-Key": "a b" },
  } as const;
  const header = ["-H", "X-Key: a b"];
  expect(parseMcpAdd([...header, "web", expected.url]).config).toEqual(expected);
  expect(parseMcpAdd(["-t", "http", "web", expected.url, ...header]).config).toEqual(expected);
});

test.each([
  ["files", "needs a name, and a command or an address"],
  ["-s everywhere a b", "local, project, user"],
  ["-t pipe a b", "stdio or http"],
  ["-t http a b", "b is not an address"],
  ["--what a b", "Unknown option '--what'"],
  ["-e wrong a b", "NAME=VALUE"],
])("%s is explained", (line, words) => {
  expect(() => parse(line)).toThrow(words);
});
