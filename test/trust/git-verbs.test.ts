/** How each subcommand of git is judged, so that none is taken for one that needs no question. */

import { describe, expect, test } from "bun:test";
import { gitLoss, isMuteGit, isReadingVerb, runsOnlyGit } from "../../src/trust/git-verbs.ts";
import { findNeeds } from "../../src/trust/needs.ts";

const words = (text: string): string[] => text.trim().split(/\s+/);

/** Of git 2.52, with the programs that are often installed beside it, and one that does not exist. */
const all = words(`
  add am annotate apply archimport archive backfill bisect blame branch bugreport bundle cat-file check-attr
  check-ignore check-mailmap check-ref-format checkout checkout-index cherry cherry-pick citool clean clone column
  commit commit-graph commit-tree config count-objects credential credential-cache credential-store cvsexportcommit
  cvsimport cvsserver daemon describe diagnose diff diff-files diff-index diff-pairs diff-tree difftool fast-export
  fast-import fetch fetch-pack filter-branch filter-repo fmt-merge-msg for-each-ref for-each-repo format-patch fsck
  fsmonitor--daemon gc get-tar-commit-id gitk grep gui hash-object help hook http-backend http-fetch http-push
  imap-send index-pack init init-db instaweb interpret-trailers last-modified lfs log ls-files ls-remote ls-tree
  mailinfo mailsplit maintenance merge merge-base merge-file merge-index merge-one-file merge-tree mergetool mktag
  mktree multi-pack-index mv name-rev notes p4 pack-objects pack-redundant pack-refs patch-id pickaxe prune
  prune-packed pull push quiltimport range-diff read-tree rebase receive-pack reflog refs remote remote-ext remote-fd
  repack replace replay repo request-pull rerere reset restore rev-list rev-parse revert rm scalar send-email
  send-pack sh-i18n sh-setup shell shortlog show show-branch show-index show-ref sparse-checkout stage stash status
  stripspace submodule survey svn switch symbolic-ref tag unknown unpack-file unpack-objects update-index update-ref
  update-server-info upload-archive upload-pack var verify-commit verify-pack verify-tag version whatchanged worktree
  write-tree
`);

/** They print or tell something, unless an option says otherwise. */
const reading = words(`
  blame cat-file count-objects describe diff for-each-ref grep log ls-files ls-tree merge-base name-rev rev-list
  rev-parse shortlog show show-ref status version reflog
`);

/** They talk to another repository, with the user's keys. */
const remote = words("clone fetch lfs ls-remote pull push send-email submodule");

/** They run nothing and write where git writes by itself, so that they may also write its settings. */
const alone = [
  ...reading,
  ...words(`
    add am apply branch checkout cherry-pick clean commit fsck gc init merge mv notes rebase remote reset restore
    revert rm sparse-checkout stash switch symbolic-ref tag update-index update-ref worktree
  `),
];

/** They show no content of files, and copy none to another path. */
const mute = words(`
  add bisect branch cat-file checkout cherry-pick clean commit count-objects describe fetch for-each-ref fsck gc init
  log ls-files ls-tree merge merge-base mv name-rev prune pull push rebase reflog remote reset restore rev-list
  rev-parse revert rm shortlog show-ref stash status switch tag version
`);

/** They lose work, or the history of others, however they are called. */
const losing = words("filter-branch filter-repo prune rebase replace restore");

test("each subcommand is judged by what it does, and one that is not known is confined", () => {
  const judge = (is: (args: string[]) => boolean): string[] => all.filter((verb) => is([verb]));
  expect(judge(isReadingVerb)).toEqual(reading.toSorted());
  expect(judge(([verb]) => findNeeds(`git ${verb}`).outside)).toEqual(remote);
  expect(judge(runsOnlyGit)).toEqual(alone.toSorted());
  expect(judge(isMuteGit)).toEqual(mute);
  expect(judge((args) => gitLoss(args) !== null)).toEqual(losing);
});

const losses = [
  "branch -D x",
  "branch --delete x",
  "branch --force x y",
  "checkout -- x",
  "checkout --force x",
  "checkout .",
  "clean --force",
  "clean -fdx",
  "gc --aggressive",
  "gc --prune=now",
  "push --delete origin x",
  "push --force",
  "push --force-with-lease=x",
  "push --mirror",
  "push --prune",
  "push -f",
  "push origin +x",
  "push origin :x",
  "reflog delete x",
  "reflog drop --all",
  "reflog expire --all",
  "reset --hard",
  "reset --keep x",
  "reset --merge",
  "restore --staged --worktree x",
  "rm --force x",
  "rm -r x",
  "stash clear",
  "stash drop",
  "switch --discard-changes x",
  "switch --force-create x",
  "tag --delete x",
  "update-ref --stdin",
  "worktree remove --force x",
];

describe("work that git cannot restore is asked about", () => {
  test.each(losses)("git %s", (line) => {
    expect(gitLoss(words(line))).not.toBeNull();
  });

  test.each(losses.filter((line) => / --\w/.test(line)))("with the beginning of %s", (line) => {
    expect(gitLoss(words(line.replaceAll(/(?<= --\w+)[\w-](?=$| |=)/g, "")))).not.toBeNull();
  });

  test.each([
    "-C x",
    "-c a=b",
    "-p --no-pager --bare",
    "--git-dir x",
    "--git-dir=x",
    "--work-tree x",
    "--namespace x",
    "--config-env a=b",
    "--attr-source x",
    "--shallow-file x",
  ])("behind %s", (options) => {
    for (const line of losses)
      expect([line, gitLoss(words(`${options} ${line}`))]).not.toContain(null);
  });
});

test.each([
  "branch -a",
  "checkout main",
  "clean -nfd",
  "push origin main",
  "push --follow-tags --dry-run",
  "reset --soft HEAD~1",
  "restore --staged x",
  "rm --cached x",
  "stash pop",
  "tag -l",
  "worktree remove x",
])("git %s loses nothing", (line) => {
  expect(gitLoss(words(line))).toBeNull();
});

test.each([
  "archive -o .git/config HEAD",
  "archive --output=.git/config HEAD",
  "stash show -p --output=.git/config",
  "stash show -p --outp .git/config",
  "diff --output=.git/config",
  "apply --unsafe-paths x.patch",
  "apply --unsafe x.patch",
  "am --exec=x",
])("git %s, which writes where its options say, opens no settings of git", (line) => {
  expect(findNeeds(`git ${line} && git reset x`)).toMatchObject({ git: "own data" });
});
