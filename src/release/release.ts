/** `bun run release`: builds, packs and publishes a release. */

import { createReadStream, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { name, version } from "../../package.json";
import { compile, releaseTargets, repositoryRoot, runCommand } from "./compile.ts";
import { makeMainPackage, makeSystemPackage, changelogNotes, packPackage } from "./packages.ts";

const help = `bun run release [options]
Builds ${name} for every system, packs the packages, and writes their sums and the notes of the version
in package.json.
  --targets NAME[,NAME]  only these: ${releaseTargets.map((target) => target.name).join(", ")}
  --out FOLDER           dist/release
  --publish URL          publish to this registry, such as https://registry.npmjs.org
  --tag TAG              the tag to publish under (latest)
  --provenance           sign where the packages were built; only in a workflow of a public forge
`;

const { values } = parseArgs({
  options: {
    targets: { type: "string" },
    out: { type: "string", default: join(repositoryRoot, "dist/release") },
    publish: { type: "string" },
    tag: { type: "string", default: "latest" },
    provenance: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});

if (values.help) process.stdout.write(help);
else await release();

async function release(): Promise<void> {
  const { out } = values;
  const chosen = values.targets?.split(",");
  const unknown = chosen?.find((name) => !releaseTargets.some((target) => target.name === name));
  if (unknown !== undefined) throw new Error(`There is no target ${unknown}.\n${help}`);
  const targets = releaseTargets.filter((target) => chosen?.includes(target.name) ?? true);
  const notes = changelogNotes(
    version,
    readFileSync(join(repositoryRoot, "src/CHANGELOG.md"), "utf8"),
  );
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const tarballs: string[] = [];
  for (const target of targets) {
    console.log(`${target.name} …`);
    const programs = join(out, "programs", target.name);
    await compile(target, programs);
    const folder = join(out, "packages", target.name);
    makeSystemPackage(target, programs, folder);
    tarballs.push(await packPackage(folder, out));
  }
  const main = join(out, "packages", name);
  await makeMainPackage(targets, main);
  // Published last: the builds that it depends on must be available before.
  tarballs.push(await packPackage(main, out));
  const sums = await Promise.all(tarballs.map(checksum));
  writeFileSync(join(out, "SHA256SUMS"), sums.join(""));
  writeFileSync(join(out, "NOTES.md"), notes);
  console.log(sums.join(""));
  if (values.publish !== undefined) await publish(tarballs, values.publish);
}

/** Publishes tarballs in order, and skips those that the registry has from an earlier attempt. */
async function publish(tarballs: readonly string[], registry: string): Promise<void> {
  for (const tarball of tarballs) {
    const args = ["publish", tarball, `--registry=${registry}`, `--tag=${values.tag}`];
    const options = ["--access=public", ...(values.provenance ? ["--provenance"] : [])];
    try {
      await runCommand("npm", [...args, ...options], repositoryRoot);
      console.log(`published ${basename(tarball)}`);
    } catch (error) {
      if (!/EPUBLISHCONFLICT|previously published|already present/.test(String(error))) throw error;
      console.log(`already there: ${basename(tarball)}`);
    }
  }
}

/** A line as `sha256sum` writes and checks it. */
async function checksum(file: string): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256");
  for await (const piece of createReadStream(file)) hasher.update(piece);
  return `${hasher.digest("hex")}  ${basename(file)}\n`;
}
