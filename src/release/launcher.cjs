#!/usr/bin/env node
"use strict";
// Starts the build for this system, which npm installed beside this package. Plain JavaScript for any
// Node since version 18, or Bun.

const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const { name, version } = require("../package.json");

const isWindows = process.platform === "win32";

/** The systems whose build may run here, the likeliest first. */
function candidates() {
  const { platform, arch } = process;
  const system = `${isWindows ? "windows" : platform}-${arch}`;
  if (platform !== "linux") return [system];
  const both = [system, `${system}-musl`];
  // Some package managers install both, and the wrong one cannot start.
  return hasGlibc() ? both : both.reverse();
}

function hasGlibc() {
  if (!process.report) return true;
  // Without this, the report asks name servers about every open connection.
  process.report.excludeNetwork = true;
  return process.report.getReport().header.glibcVersionRuntime !== undefined;
}

function findProgram() {
  for (const system of candidates()) {
    try {
      return require.resolve(`${name}-${system}/bin/${name}${isWindows ? ".exe" : ""}`);
    } catch {
      // It is not installed.
    }
  }
  return null;
}

function run(program, args) {
  // Newer versions of Node can become the program instead of waiting for it.
  if (process.execve && !process.versions.bun && !isWindows)
    return process.execve(program, [program, ...args], process.env);
  let child;
  // Before it starts: a signal in between would leave it alone in the world.
  const signals = isWindows ? [] : ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"];
  for (const signal of signals)
    process.on(signal, () => {
      // A terminal sends what its keys mean to the program, too.
      const isFromKey = process.stdin.isTTY && /INT|QUIT/.test(signal);
      if (!isFromKey) child?.kill(signal);
    });
  child = spawn(program, args, { stdio: "inherit" });
  child.on("error", (error) => fail(`${program} cannot be started: ${error.message}`));
  child.on("exit", (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
}

function fail(sentence) {
  process.stderr.write(`${name}: ${sentence}\n`);
  process.exit(1);
}

const program = findProgram();
if (program) run(program, process.argv.slice(2));
else
  fail(
    `there is no build for ${process.platform} ${process.arch}, or it was not installed. Install again ` +
      `without --no-optional, or run it with Bun from its sources (version ${version}).`,
  );
