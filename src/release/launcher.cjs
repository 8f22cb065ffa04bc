"use strict";
// Starts the build for this system where Node or Bun runs this file: on Windows always, elsewhere once,
// since from then on a shell does. Plain JavaScript for any Node since version 18.

const { spawn, spawnSync } = require("node:child_process");
const fs = require("node:fs");
const { constants } = require("node:os");
const { dirname, join } = require("node:path");
const { name } = require("../package.json");

const { platform, arch, env, argv } = process;
const isWindows = platform === "win32";

/** The systems whose build may run here, the likeliest first. */
function listBuilds() {
  if (isWindows) return ["windows-x64"];
  // Each runs on an Apple silicon Mac, and Node may be for the other one.
  if (platform === "darwin") return [`darwin-${arch}`, "darwin-arm64", "darwin-x64"];
  return [`${platform}-${arch}`, `${platform}-${arch}-musl`];
}

const file = `${name}${isWindows ? ".exe" : ""}`;

/** As the shell finds it: in the folders `node_modules` from here up. Null when it is not there. */
function findNearby() {
  for (const folder of module.paths) {
    const found = listBuilds()
      .map((build) => join(folder, `${name}-${build}`, "bin", file))
      .filter((program) => fs.existsSync(program));
    // Some package managers install both for Linux, and the wrong one cannot start.
    if (found.length > 0) return found.at(platform === "linux" && found[1] && hasMusl() ? -1 : 0);
  }
  return null;
}

/** Plug'n'Play and NODE_PATH have packages where only `require` finds them. */
function findByRequire() {
  for (const build of listBuilds()) {
    try {
      return require.resolve(`${name}-${build}/bin/${file}`);
    } catch {
      // It is not installed.
    }
  }
  return null;
}

function hasMusl() {
  const { stdout, stderr } = spawnSync("ldd", ["/bin/sh"], { encoding: "utf8" });
  return /musl/.test(`${stdout}${stderr}`);
}

/**
 * Names a shell in this file's first line, so that no Node is in between from the next start on. It
 * replaces the file as a whole: another start reads the old one or the new one, and a package manager's
 * store, which may share the file, keeps its own. What belongs to another user stays as it is.
 */
function startByShellFromNowOn() {
  if (isWindows) return;
  const self = fs.realpathSync(__filename);
  const copy = `${self}.${process.pid}`;
  let isMade = false;
  try {
    const text = fs.readFileSync(self, "utf8");
    if (!text.startsWith("#!/usr/bin/env node\n")) return;
    const { uid, mode } = fs.statSync(self);
    if (uid !== process.geteuid() || uid !== fs.statSync(dirname(self)).uid) return;
    const file = fs.openSync(copy, "wx", 0o600);
    isMade = true;
    fs.writeSync(file, text.replace(/^.*/, "#!/bin/sh"));
    fs.fchmodSync(file, mode & 0o777);
    fs.fsyncSync(file);
    fs.closeSync(file);
    fs.renameSync(copy, self);
  } catch {
    // Where nothing can be written it starts all the same.
    if (isMade) fs.rmSync(copy, { force: true });
  }
}

function run(program, args) {
  // Newer versions of Node can become the program instead of waiting for it.
  if (process.execve && !isWindows) return process.execve(program, [program, ...args], env);
  let child;
  // Before it starts: a signal in between would leave it alone in the world.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGBREAK"]) {
    // A system has some of them.
    if (!(signal in constants.signals)) continue;
    process.on(signal, () => {
      // A terminal sends the signal of a key to the program, too; Windows sends nothing else.
      const isFromKey = isWindows || (process.stdin.isTTY && /INT|QUIT/.test(signal));
      if (!isFromKey) child?.kill(signal);
    });
  }
  const variables = { ...env };
  if (platform === "linux") forgetVariables();
  child = spawn(program, args, { stdio: "inherit", env: variables });
  child.on("error", (error) => fail(`${program} cannot be started: ${error.message}`));
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/**
 * Clears the variables that this process was started with, keys among them: /proc shows them to every
 * program of the user for as long as it waits. Where they are is in proc_pid_stat(5), fields 50 and 51.
 */
function forgetVariables() {
  try {
    const stat = fs.readFileSync("/proc/self/stat", "utf8");
    const [from, to] = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .slice(47, 49)
      .map(Number);
    const memory = fs.openSync("/proc/self/mem", "r+");
    fs.writeSync(memory, Buffer.alloc(to - from), 0, to - from, from);
    fs.closeSync(memory);
  } catch {
    // A system that does not allow it.
  }
}

function fail(sentence) {
  process.stderr.write(`${name}: ${sentence}\n`);
  process.exit(1);
}

const nearby = findNearby();
if (nearby) startByShellFromNowOn();
const program = nearby ?? findByRequire();
if (program) run(program, argv.slice(2));
else
  fail(
    `there is no build for ${platform} ${arch}, or it was not installed: install again with optional packages.`,
  );
