#!/usr/bin/env node
"use strict";
// Starts the build for this system, which a package manager installed beside this package. Plain
// JavaScript for any Node since version 18.

const { spawn } = require("node:child_process");
const { existsSync } = require("node:fs");
const { name } = require("../package.json");

const { platform, arch, env, argv } = process;
const isWindows = platform === "win32";

/** The builds that may run here, the likeliest first. */
function listBuilds() {
  if (isWindows) return ["windows-x64"];
  // An Apple silicon Mac runs both, and Node may be for the other one.
  if (platform === "darwin") return [`darwin-${arch}`, "darwin-arm64", "darwin-x64"];
  const builds = [`${platform}-${arch}`, `${platform}-${arch}-musl`];
  const muslLoader = `/lib/ld-musl-${arch === "arm64" ? "aarch64" : "x86_64"}.so.1`;
  return existsSync(muslLoader) && !existsSync("/etc/ld.so.cache") ? builds.reverse() : builds;
}

function findProgram() {
  for (const build of listBuilds()) {
    try {
      return require.resolve(`${name}-${build}/bin/${name}${isWindows ? ".exe" : ""}`);
    } catch {
      // It is not installed.
    }
  }
  process.stderr.write(
    `${name}: there is no build for ${platform} ${arch}, or it was not installed: install again with optional packages.\n`,
  );
  process.exit(1);
}

const program = findProgram();
const args = argv.slice(2);
// Newer versions of Node can become the program instead of waiting for it.
if (process.execve && !isWindows) process.execve(program, [program, ...args], env);
let child;
// Before it starts: a signal in between would leave it alone.
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
// A terminal sends the signals of its keys to the program, too.
for (const signal of ["SIGINT", "SIGQUIT"]) process.on(signal, () => undefined);
child = spawn(program, args, { stdio: "inherit" });
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
