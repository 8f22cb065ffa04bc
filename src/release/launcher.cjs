#!/usr/bin/env node
"use strict";
// Starts the build for this system, which npm installed beside this package. Plain JavaScript for any
// Node since version 18, or Bun.

const { spawn } = require("node:child_process");
const { closeSync, openSync, readFileSync, writeSync } = require("node:fs");
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
  const env = { ...process.env };
  if (process.platform === "linux") forgetVariables();
  child = spawn(program, args, { stdio: "inherit", env });
  child.on("error", (error) => fail(`${program} cannot be started: ${error.message}`));
  child.on("exit", (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
}

/**
 * Clears the variables that this process was started with, keys among them: /proc shows them to every
 * program of the user for as long as it waits. Where they are is in proc_pid_stat(5), fields 50 and 51.
 */
function forgetVariables() {
  try {
    const stat = readFileSync("/proc/self/stat", "utf8");
    const [from, to] = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .slice(47, 49)
      .map(Number);
    const memory = openSync("/proc/self/mem", "r+");
    writeSync(memory, Buffer.alloc(to - from), 0, to - from, from);
    closeSync(memory);
  } catch {
    // A system that does not allow it.
  }
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
