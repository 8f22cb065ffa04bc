/**
 * Lines that destroy: how many files come back byte for byte, with mode and links. `bun test/lab/destructive.ts
 * [KIND]` prints a table by kind, and each line of which something did not come back. First without what may be
 * somebody else's change, as a rewind begins, then with it.
 */

import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Checkpoints } from "../../src/log/checkpoints.ts";
import { openContents, rewindFiles } from "../../src/snapshots/rewind.ts";
import { openSnapshots } from "../../src/snapshots/snapshots.ts";
import { namingOf } from "../../src/trust/line/naming.ts";
import { entryOf, stateOf } from "../snapshots/workspace.ts";

const lines: Record<string, string> = {
  rm: `rm -rf src
rm -rf *
rm -rf ./* .[!.]*
rm src/*.ts
rm -r src/deep docs
find . -name '*.ts' -delete
find . -type f -not -path './.git/*' -delete
find src -type f -exec rm {} +
find . -empty -delete
find . -type l -delete
find . -name '*.md' -print0 | xargs -0 rm
rm -rf docs && mkdir docs
rm -f .env .gitignore
rm -rf "names with spaces" empty
unlink src/main.ts
rmdir empty
shopt -s globstar; rm -f **/*.json
cd src && rm -rf ..?* .[!.]* *
rm -rf .git && rm -rf src
perl -e 'unlink glob("src/*.ts")'
python3 -c "import shutil; shutil.rmtree('src')"
python3 -c "import os; [os.remove(p) for p in ('run.sh','package.json')]"
ls src | while read f; do rm -rf "src/$f"; done`,
  "sed, perl, awk": `sed -i 's/export/import/' src/*.ts
sed -i '1d' src/main.ts src/util.ts
sed -i 's/$/\\r/' src/main.ts
sed -i.bak 's/a/b/g' src/*.ts
sed -i -e '/./d' README.md
sed -i --follow-symlinks 's/a/b/' link
sed -i 's/one/two/' link
perl -pi -e 's/const/let/g' src/*.ts
perl -0pi -e 's/\\n/ /g' README.md
perl -i -ne 'print unless /a/' src/main.ts
awk '{print NR}' src/main.ts > x && mv x src/main.ts
find . -name '*.ts' -exec sed -i 's/ //g' {} +
grep -rl export src | xargs sed -i 's/export/exports/g'
tr a-z A-Z < README.md > R && mv R README.md
sort -o README.md README.md
printf '%s\\n' 1d w q | ed -s README.md || sed -i 1d README.md
for f in src/*.ts; do echo "// header" | cat - $f > t && mv t $f; done
sed -i 's/1/2/' data.bin
perl -e 'chmod 0600, glob("src/*")'
python3 -c "p='src/main.ts'; s=open(p).read(); open(p,'w').write(s[::-1])"`,
  "redirections and truncation": `: > src/main.ts
echo x > README.md
> package.json
cat /dev/null > src/util.ts
truncate -s 0 src/*.ts
truncate -s 3 data.bin
dd if=/dev/zero of=data.bin bs=10 count=1 conv=notrunc status=none
dd if=/dev/urandom of=src/main.ts bs=100 count=1 status=none
head -c 2 README.md > r && cat r > README.md
tee src/main.ts src/util.ts < README.md > /dev/null
yes | head -1000 > README.md
printf 'a\\0b' > src/main.ts
cp /dev/null run.sh
cp README.md src/main.ts
cp -f package.json run.sh
cp -a src/deep/. src
cp --remove-destination README.md link
shred -n 1 src/main.ts
shred -u src/util.ts
install -m 600 README.md src/main.ts
split -b 5 README.md part && rm README.md
echo more >> .env
python3 -c "open('data.bin','r+b').truncate(1)"`,
  "mv and links": `mv src lib
mv src/main.ts src/util.ts
mv README.md docs/README.md
mv docs src/deep && mv src docs
mv run.sh run && ln -s run run.sh
mv src a && mv docs src && mv a docs
mv -f package.json src/main.ts
mv src/deep/* .
mv .env .env.local
for f in src/*.ts; do mv $f \${f%.ts}.js; done
rename 's/ts/js/' src/*.ts 2> /dev/null || mv src/main.ts src/main.js
ln -sf /etc/passwd README.md
ln -sfn docs src-link && rm -r docs
ln -f README.md src/main.ts
rm link && ln -s nowhere link
rm -rf docs && ln -s src docs
rm -rf src && echo file > src
rm README.md && mkdir README.md && echo x > README.md/in
mkdir -p new/a/b/c && mv docs new/a
mv "names with spaces" plain
mv $'odd\\n' odd`,
  modes: `chmod -R 700 .
chmod -R a-w src
chmod 000 src
chmod 000 README.md
chmod -x run.sh
chmod 4755 run.sh
chmod -R u-rwx docs
chmod 600 .env run.sh
chmod -R go+w docs src
chmod +t docs
echo x > src/main.ts && chmod 400 src/main.ts
chmod 555 empty
umask 077; cp run.sh run2.sh; mv run2.sh run.sh
rm -rf src && mkdir -m 700 src`,
  git: `git checkout -- .
git checkout HEAD -- src
git checkout -q other
git checkout -q -b new && rm -r src
git checkout -qf other
git switch -q other 2> /dev/null || git switch -q --discard-changes other
git restore .
git restore --source=other .
git restore src/main.ts
git reset -q --hard
git reset -q --hard other
git reset -q --hard HEAD~1
git clean -fd
git clean -fdx
git clean -fdX
git clean -ffdx
git stash -q
git stash -q -u
git stash -q -a
git stash -q && git stash pop -q
git stash -q -u && git stash drop -q
git rm -rqf src
git rm -qf README.md package.json
git rm -rqf --cached . && git clean -fdq
git mv README.md docs/R.md
git mv src lib
git merge -q other -m m || true
git merge -q -X theirs other -m m || true
git rebase -q other || git rebase --abort
git cherry-pick other || git cherry-pick --abort
git revert --no-edit HEAD || git revert --abort
git commit -qam all && git reset -q --hard HEAD~2
git add -A && git commit -qm x && git rm -rq .
git read-tree -u --reset other
git checkout -q --orphan fresh && git rm -rfq .
git apply -R <(git diff) 
git diff > p && git checkout -q . && git apply p && rm p
git filter-branch -f --tree-filter 'rm -f README.md' HEAD > /dev/null 2>&1 || git reset -q --hard
git reflog expire --expire=now --all; git reset -q --hard HEAD~1; git gc -q --prune=now
git worktree add -q wt other && rm -rf src
git submodule deinit -qf --all; git clean -fdq
git bisect start -q HEAD HEAD~1; git bisect reset -q
git sparse-checkout set docs 2> /dev/null; true
git init -q src && rm src/main.ts`,
  "archives and copies": `tar cf a.tar src && rm -rf src
tar czf - . 2> /dev/null | tar xzf - -C docs
tar cf - docs | (cd src && tar xf -) && rm -rf docs
tar --remove-files -cf b.tar docs README.md
echo x > src/main.ts && tar cf c.tar src && rm -rf src && tar xf c.tar
cpio -o < /dev/null > z.cpio 2> /dev/null; rm -f README.md
gzip README.md
gzip -r src
bzip2 src/main.ts 2> /dev/null || rm src/main.ts
python3 -m zipfile -c d.zip src && rm -r src && python3 -m zipfile -e d.zip .
rsync -a --delete docs/ src/ 2> /dev/null || cp -a docs/. src
cp -a src backup && rm -rf src && mv backup src && rm src/util.ts
cp -r docs/. .
ln docs/a.md docs/hard && echo x > docs/hard`,
  "packages and generators": `npm init -y > /dev/null 2>&1; rm -f src/util.ts
npm pkg set name=other > /dev/null 2>&1 || sed -i 's/name/other/' package.json
npm version --no-git-tag-version 9.9.9 > /dev/null 2>&1; true
bun init -y > /dev/null 2>&1; true
mkdir -p pkg && echo '{"name":"pkg","version":"1.0.0"}' > pkg/package.json && bun add ./pkg > /dev/null 2>&1; true
bun install > /dev/null 2>&1; true
bun build src/main.ts --outdir src > /dev/null 2>&1; true
bun build src/main.ts --outfile run.sh > /dev/null 2>&1; true
python3 -m venv --without-pip docs 2> /dev/null; rm -f README.md
python3 -c "import json; p='package.json'; d=json.load(open(p)); d['x']=1; json.dump(d, open(p,'w'))"
node -e "const fs=require('fs'); for (const f of fs.readdirSync('src')) if (f.endsWith('.ts')) fs.writeFileSync('src/'+f, '// generated')"
node -e "require('fs').rmSync('src',{recursive:true})"
for i in $(seq 200); do echo "export const v$i = $i;" > src/gen$i.ts; done; rm src/main.ts
mkdir -p src/gen/{a,b,c} && touch src/gen/{a,b,c}/x && rm -rf src/deep
make -f - <<< $'all:\\n\\trm -rf docs; echo built > out' > /dev/null
cat > gen.py <<< "import os; os.makedirs('o/p'); open('o/p/q','w').write('x'); os.remove('README.md')" && python3 gen.py
sh -c 'rm -rf src; mkdir src; cp README.md src/main.ts'
xargs -a <(ls src/*.ts) -I{} sh -c 'echo g > {}'
patch -s -p1 <<< $'--- a/README.md\\n+++ b/README.md\\n@@ -1 +1 @@\\n-# one\\n+# two' || echo two > README.md
patch -s -R -p1 < /dev/null; rm -f README.md.orig package.json`,
  "databases and migrations": `python3 -c "import sqlite3; c=sqlite3.connect('app.db'); c.execute('drop table if exists t'); c.commit()"
python3 -c "import sqlite3; c=sqlite3.connect('app.db'); c.execute('create table u(a)'); c.execute('insert into u values(1)'); c.commit(); c.execute('vacuum')"
python3 -c "import sqlite3; c=sqlite3.connect('app.db'); c.execute('pragma journal_mode=wal'); c.execute('delete from t'); c.commit()"
python3 -c "import sqlite3; c=sqlite3.connect('new.db'); c.execute('create table t(a)'); c.commit()"
rm app.db
mv app.db app.old && cp README.md app.db
bun -e "import {Database} from 'bun:sqlite'; const d = new Database('app.db'); d.run('drop table if exists t'); d.run('create table v(x)')"
mkdir -p migrations && echo 'drop table t;' > migrations/1.sql && rm app.db
python3 -c "open('app.db','r+b').write(b'broken')"
truncate -s 0 app.db`,
  formatters: `for f in $(find src -name '*.ts'); do expand -t 4 $f > t; cat t > $f; done; rm t
find . -name '*.ts' -exec perl -pi -e 's/^ +//' {} +
unexpand -a README.md > t && mv t README.md
fmt -w 10 README.md > t && cat t > README.md && rm t
sed -i 's/[[:space:]]*$//' $(git ls-files)
find . -name '*.md' -exec sed -i 's/^# /## /' {} ';'
python3 -c "import json,sys; d=json.load(open('package.json')); open('package.json','w').write(json.dumps(d,indent=8))"
iconv -f utf8 -t utf16 README.md > t && mv t README.md
cat -s README.md | tac > t && mv t README.md
dos2unix src/*.ts 2> /dev/null || sed -i 's/\\r$//' src/*.ts
python3 - <<< "import glob; [open(p,'a').write('\\n// eof') for p in glob.glob('src/**/*.ts', recursive=True)]"
nl README.md > t; mv t README.md`,
};

const top = realpathSync(mkdtempSync(join(tmpdir(), "destructive-")));
const template = join(top, "template");

function put(name: string, text: string | Uint8Array, mode = 0o644): void {
  const path = join(template, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
}

function sh(line: string, cwd: string): void {
  Bun.spawnSync(["bash", "-c", line], {
    cwd,
    env: {
      ...process.env,
      HOME: top,
      GIT_AUTHOR_NAME: "m",
      GIT_AUTHOR_EMAIL: "m@x",
      GIT_COMMITTER_NAME: "m",
      GIT_COMMITTER_EMAIL: "m@x",
    },
    stdout: "ignore",
    stderr: "ignore",
    stdin: "ignore",
  });
}

put("README.md", "# one\n\ntext  \n");
put("package.json", '{ "name": "one", "version": "1.0.0" }\n');
put("src/main.ts", "export const one = 1;\r\n");
put("src/util.ts", "\texport const a = 'a';  \n");
put("src/deep/er/x.ts", "export {};\n");
put("docs/a.md", "# a\n");
put("docs/b.md", "# b\n", 0o600);
put("run.sh", "#!/bin/sh\necho one\n", 0o755);
put(".env", "KEY=secret\n", 0o600);
put(".gitignore", ".env\ndist/\n*.log\n");
put("dist/out.js", "built\n");
put("debug.log", "log\n");
put("names with spaces/f", "x\n");
put("odd\n", "odd\n");
put(
  "data.bin",
  Uint8Array.from({ length: 4_000 }, (_, at) => at % 256),
);
mkdirSync(join(template, "empty"));
symlinkSync("README.md", join(template, "link"));
symlinkSync("src", join(template, "link-to-folder"));
sh(
  "python3 -c \"import sqlite3; c=sqlite3.connect('app.db'); c.execute('create table t(a)'); c.commit()\"; " +
    "git init -qb main; git add -A; git commit -qm one; git checkout -qb other; echo other > src/main.ts; echo new > other.ts; git rm -q docs/a.md; git add -A; git commit -qm other; " +
    "git checkout -q main; echo two >> README.md; git commit -qam two; echo dirty >> src/util.ts; echo staged > staged; git add staged; echo untracked > untracked",
  template,
);

let [count, files, lost, left] = [0, 0, 0, 0];
const [only = ""] = process.argv.slice(2);
for (const [kind, text] of Object.entries(lines)) {
  if (!kind.startsWith(only)) continue;
  const kindFiles = [0, 0];
  const all = text.split("\n");
  for (const line of all) {
    const root = join(top, `${(count += 1)}`, "work");
    const own = join(top, `${count}`, "own");
    cpSync(template, root, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
    const ours = (): Map<string, string> =>
      new Map([...stateOf(root)].filter(([path]) => !/^\.git(?:\/|$)/.test(path)));
    const before = ours();
    const snapshots = openSnapshots({
      own,
      roots: [root],
      repository: async () => join(root, ".git"),
      mayStillRun: async () => false,
    });
    const place = { cwd: root, folders: { home: join(top, "home"), own, results: join(own, "r") } };
    const { begun } = await snapshots.begin(line, namingOf(line, place));
    if (begun === null) throw new Error("There is no snapshot.");
    sh(line, root);
    const { files: changed } = await snapshots.finish(begun, false);
    const contents = openContents(own, root, new Checkpoints(join(own, "checkpoints")));
    const undo = [entryOf(changed)];
    const rewind = (unsure: boolean) =>
      rewindFiles(contents, { undo, redo: [], unsure }, (path) => path.slice(root.length + 1));
    // Named before, and in the preview: a folder that is not in the snapshot.
    const named = changed.flatMap(({ path, after }) =>
      after?.startsWith("out:") ? path.slice(root.length + 1) : [],
    );
    const isNamed = (path: string): boolean =>
      named.some((folder) => `${path}/`.startsWith(`${folder}/`));
    const findWrong = (): string[] => {
      const after = ours();
      return [...new Set([...before.keys(), ...after.keys()])].filter(
        (path) => before.get(path) !== after.get(path) && !isNamed(path),
      );
    };
    await rewind(false);
    left += findWrong().length;
    const { text: said } = await rewind(true);
    await snapshots.close();
    const wrong = findWrong();
    if (wrong.length > 0)
      console.log(`${line}\n   ${wrong.slice(0, 5).join(", ")}\n   ${said.slice(0, 300)}`);
    kindFiles[0] = (kindFiles[0] ?? 0) + before.size;
    kindFiles[1] = (kindFiles[1] ?? 0) + wrong.length;
    Bun.spawnSync(["chmod", "-R", "u+rwX", root]);
    rmSync(join(top, `${count}`), { recursive: true, force: true });
  }
  const [had = 0, missed = 0] = kindFiles;
  files += had;
  lost += missed;
  console.log(
    `${kind.padEnd(30)} ${all.length} lines, ${missed} of ${had} paths did not come back`,
  );
}
console.log(
  `\n${count} lines: ${(100 - (100 * lost) / files).toFixed(2)} % of ${files} paths came back byte for byte, ${left} of them only when asked for`,
);
rmSync(top, { recursive: true, force: true });
