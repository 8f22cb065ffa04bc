import { describe, expect, test } from "bun:test";
import { needsInWords, needsOf } from "../../../src/tools/permission/needs.ts";

const none = { network: false, outside: false, git: false };

describe("what an approved command gets beyond the sandbox", () => {
  test.each([
    "ls",
    "npm test",
    "npm run build",
    "cargo test",
    "go build ./...",
    "rsync -a src/ copy/",
    "git add -A && git commit -m x",
    "git diff HEAD~1",
    "git config user.name me",
    "echo npm install",
  ])("%j: no network, nothing outside", (command) => {
    expect(needsOf(command)).toMatchObject({ network: false, outside: false });
  });

  test.each([
    "curl http://x",
    "/usr/bin/curl http://x",
    "ls; wget x",
    "npm install",
    "npm i x",
    "bun add x",
    "yarn",
    "pip install x",
    "uv sync",
    "cargo add x",
    "go get x",
    "gradle build",
    "bundle exec rake",
    "echo a > /dev/tcp/host/80 /dev/tcp/host/80",
    "bash -c 'curl x'",
  ])("%j: the network", (command) => {
    expect(needsOf(command)).toEqual({ ...none, network: true });
  });

  test.each([
    "sudo make install",
    "ssh host",
    "docker ps",
    "kill 12",
    "npm publish",
    "pip install --user x",
    "npm install -g x",
    "cargo install x",
    "git push",
    "git -C sub fetch",
    "git --no-pager clone x",
    "git remote update",
    "rsync -a . host:there",
    "git config --global user.name x",
  ])("%j: outside the sandbox", (command) => {
    expect(needsOf(command)).toMatchObject({ outside: true });
  });

  test.each([
    ["git checkout x", true],
    ["git config user.name me", true],
    ["git -c a=b --no-pager rebase main", true],
    ["git status", false],
    ["git -C sub log", false],
    ["git push", false],
    ["tig checkout", false],
  ])("%j changes git's configuration or the working tree: %p", (command, git) => {
    expect(needsOf(command).git).toBe(git);
  });
});

test("the question says where it runs", () => {
  expect(needsInWords(none)).toBeNull();
  expect(needsInWords({ ...none, network: true })).toContain("in the sandbox with network access");
  expect(needsInWords({ ...none, network: true, outside: true })).toContain("outside the sandbox");
});
