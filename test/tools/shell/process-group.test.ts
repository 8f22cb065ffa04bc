import { afterEach, expect, mock, spyOn, test } from "bun:test";
import { endGroup, groupStays, system } from "../../../src/tools/shell/process-group.ts";

afterEach(() => mock.restore());

type Process = Awaited<ReturnType<typeof system.list>>[number];

const running = (id: number, group: number): Process => ({ id, parent: 1, group, ended: false });

/** Processes that end after SIGTERM once they have been checked this often. Returns what was done. */
function simulate(processes: Process[], looks: number) {
  const done = { listed: 0, read: 0, signals: [] as string[] };
  spyOn(system, "list").mockImplementation(async () => {
    done.listed++;
    return processes;
  });
  spyOn(system, "read").mockImplementation((id) => {
    done.read++;
    if (done.read > looks) processes = processes.filter((one) => one.id !== id);
    return processes.find((one) => one.id === id) ?? null;
  });
  spyOn(process, "kill").mockImplementation((id, signal) => {
    if (signal !== 0) done.signals.push(`${signal} ${id}`);
    if (!processes.some(({ group }) => group === -id)) throw new Error("ESRCH");
    return true;
  });
  return done;
}

test("while a group ends, only its own processes are looked at", async () => {
  const others = Array.from({ length: 500 }, (_, n) => running(1_000 + n, 1_000));
  const done = simulate([...others, running(7, 7)], 8);
  await endGroup(7, 10_000);
  expect(done.read).toBe(9);
  // First for descendants in other groups, then once no known process is left.
  expect(done.listed).toBe(2);
  expect(done.signals).toEqual(["SIGTERM -7"]);
});

test("a process that was started while the group ended is waited for", async () => {
  const done = simulate([running(1, 1), running(7, 7)], 0);
  const late = running(8, 7);
  spyOn(system, "list")
    .mockResolvedValueOnce([running(7, 7)])
    .mockResolvedValueOnce([late]);
  spyOn(process, "kill").mockImplementation((id, signal) => {
    if (signal !== 0) done.signals.push(`${signal} ${id}`);
    return true;
  });
  await endGroup(7, 10_000);
  expect(done.read).toBe(2);
  expect(done.signals).toEqual(["SIGTERM -7"]);
});

test("if a group is about to end, only its own processes are waited for", async () => {
  const others = Array.from({ length: 500 }, (_, n) => running(1_000 + n, 1_000));
  const done = simulate([...others, running(8, 7)], 2);
  expect(await groupStays(7)).toBe(false);
  expect(done.read).toBe(3);
  // First, and once no known process is left.
  expect(done.listed).toBe(2);
});

test("a group counts as alive while a process starts another, but not with only a zombie left", async () => {
  const late = running(9, 7);
  simulate([running(8, 7)], 0);
  spyOn(system, "list")
    .mockResolvedValueOnce([running(8, 7)])
    .mockResolvedValue([late]);
  spyOn(system, "read").mockImplementation((id) => (id === late.id ? late : null));
  spyOn(process, "kill").mockReturnValue(true);
  expect(await groupStays(7)).toBe(true);
  spyOn(system, "list").mockResolvedValue([{ ...late, ended: true }]);
  spyOn(system, "read").mockReturnValue({ ...late, ended: true });
  expect(await groupStays(7)).toBe(false);
});

test("a group without processes is not waited for", async () => {
  const done = simulate([], 0);
  const sleep = spyOn(Bun, "sleep");
  expect(await groupStays(7)).toBe(false);
  expect(done.listed).toBe(0);
  expect(sleep).not.toHaveBeenCalled();
});

test("a group that has ended after a moment is not searched for among all processes", async () => {
  const done = simulate([running(7, 7)], 0);
  spyOn(Bun, "sleep").mockImplementation(async () => void system.read(7));
  expect(await groupStays(7)).toBe(false);
  expect(done).toEqual({ listed: 0, read: 1, signals: [] });
});
