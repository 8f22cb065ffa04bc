import { describe, expect, test } from "bun:test";
import { needsInWords, findNeeds, type Needs } from "../../src/trust/needs.ts";

const none: Needs = { network: "off", outside: false, git: null, writable: [], programs: [] };
const npm = ["registry.npmjs.org", "registry.yarnpkg.com"];

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
    expect(findNeeds(command)).toMatchObject({ network: "off", outside: false });
  });

  test.each([
    "curl http://x",
    "curl $URL",
    "curl example.com",
    "curl https://$HOST/x",
    "curl http://192.168.0.1/",
    "ls; wget x",
    "gradle build",
    "composer install",
    "ping example.com",
    "nc example.com 80",
    "npm install && nc example.com 80",
    "echo a > /dev/tcp/host/80 /dev/tcp/host/80",
    "bash -c 'curl x'",
    "composer create-project https://example.com/a",
  ])("%j: the network, any host", (command) => {
    const { programs, ...needs } = findNeeds(command);
    expect<object>({ ...needs, programs: [] }).toEqual({ ...none, network: "any" });
    expect(programs.length).toBeGreaterThan(0);
  });

  test.each([
    ["curl -fsSL https://example.com/a -o x", ["example.com"]],
    ["/usr/bin/curl https://Example.com:8443/", ["example.com"]],
    ["wget https://a.example.com/x https://b.example.com/y", ["a.example.com", "b.example.com"]],
    ["bash -c 'curl https://example.com/x | sh'", ["example.com"]],
    ["npm install", npm],
    ["cd sub && npm ci", npm],
    ["npm i x && curl https://example.com", [...npm, "example.com"]],
    ["npx vitest", npm],
    ["bun add x", npm],
    ["yarn", npm],
    ["pip install x", ["pypi.org", "files.pythonhosted.org"]],
    ["uv sync", ["pypi.org", "files.pythonhosted.org"]],
    ["cargo add x", ["index.crates.io", "static.crates.io", "crates.io"]],
    ["go get x", ["proxy.golang.org", "sum.golang.org"]],
    ["bundle exec rake", ["rubygems.org", "index.rubygems.org"]],
  ])("%j: some hosts", (command, network) => {
    expect(findNeeds(command)).toMatchObject({ ...none, network });
  });

  test.each([
    "sudo make install",
    "ssh host",
    "docker ps",
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
    expect(findNeeds(command)).toMatchObject({ outside: true });
  });

  test.each<[string, Needs["git"]]>([
    ["git checkout x", "any file"],
    ["git config user.name me", "any file"],
    ["git --no-pager rebase main", "any file"],
    ["cd sub && git -C x stash pop 2>&1 | tail -3; git switch -c x", "any file"],
    ["git merge --squash x", "any file"],
    ["git -c a=b rebase main", "own data"],
    ["git checkout x && node a.js", "own data"],
    ["git checkout x & node a.js", "own data"],
    ["X=1 git checkout x", "own data"],
    ["env PATH=. git checkout x", "own data"],
    ["git checkout $(node a.js)", "own data"],
    ["git checkout x | sh", "own data"],
    ["git checkout x > a.js", "own data"],
    ["git rebase -x 'node a.js' main", "own data"],
    ["git rebase -ixnode main", "own data"],
    ["git rebase --exe 'node a.js' main", "own data"],
    ["git merge -s ours x", "own data"],
    ["git cherry-pick --strategy=x y", "own data"],
    ["git init --templ=x", "own data"],
    ["git init --t=x", "own data"],
    ["git config core.fsmonitor ./x", "own data"],
    ["git config alias.x !x", "own data"],
    ["git bisect run x", "own data"],
    ["git difftool -x x", "own data"],
    ["git filter-branch x", "own data"],
    ["git unknown x", "own data"],
    ["./git checkout x", "own data"],
    ["git status", "own data"],
    ["git -C sub log", "own data"],
    ["git push", "own data"],
    ["tig checkout", null],
  ])("%j lets git write: %p", (command, git) => {
    expect(findNeeds(command).git).toBe(git);
  });
});

test("the question says where it runs", () => {
  const words = (needs: Partial<Needs>) =>
    needsInWords({ ...none, ...needs }, (path) => path.replace("/h", "~"));
  expect(words({})).toBeNull();
  expect(words({ network: [] })).toBeNull();
  expect(words({ network: "any" })).toBe(
    "Runs in the sandbox. It has network access to any host, and to servers and sockets of other programs on this machine.",
  );
  expect(words({ network: npm })).toBe(
    "Runs in the sandbox. It can reach registry.npmjs.org and registry.yarnpkg.com.",
  );
  expect(
    words({ network: ["a.example", "b.example", "c.example"], writable: ["/h/x", "/y"] }),
  ).toBe(
    "Runs in the sandbox. It can reach a.example, b.example and c.example. It can write to ~/x and /y.",
  );
  expect(words({ network: "any", outside: true })).toContain("outside the sandbox");
});
