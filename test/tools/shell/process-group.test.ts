import { afterEach, expect, mock, spyOn, test } from "bun:test";
import { endGroup, groupStays, system } from "../../../src/tools/shell/process-group.ts";

afterEach(() => mock.restore());

type Process = Awaited<ReturnType<typeof system.list>>[number];

const running = (id: number, group: number): Process => ({ id, parent: 1, group, ended: false });

/** What is seen of the processes, look by look; the last look stays. Returns the signals. */
function simulate(...looks: Process[][]): string[] {
  const signals: string[] = [];
  spyOn(system, "list").mockImplementation(
    async () => (looks.length > 1 ? looks.shift() : looks[0]) ?? [],
  );
  spyOn(Bun, "sleep").mockImplementation(async () => undefined);
  spyOn(process, "kill").mockImplementation((id, signal) => {
    if (signal !== 0) signals.push(`${signal} ${id}`);
    return true;
  });
  return signals;
}

const other = running(1, 1);

test("a process that was started while the group ended is waited for", async () => {
  const signals = simulate([other, running(7, 7)], [other, running(8, 7)], [other]);
  await endGroup(7, 10_000);
  expect(signals).toEqual(["SIGTERM -7"]);
});

test("a group that does not end in time is killed, with the groups of its descendants", async () => {
  const signals = simulate([other, running(7, 7), { ...running(9, 9), parent: 7 }]);
  await endGroup(7, 0);
  expect(signals).toEqual(["SIGTERM -7", "SIGTERM -9", "SIGKILL -7", "SIGKILL -9"]);
});

test("a group stays while a process starts another, but not with only a zombie left", async () => {
  simulate([running(8, 7)], [running(9, 7)]);
  expect(await groupStays(7)).toBe(true);
  simulate([running(8, 7)], [{ ...running(9, 7), ended: true }]);
  expect(await groupStays(7)).toBe(false);
});

test("a group without processes is not waited for", async () => {
  simulate([]);
  spyOn(process, "kill").mockImplementation(() => {
    throw new Error("ESRCH");
  });
  expect(await groupStays(7)).toBe(false);
  expect(Bun.sleep).not.toHaveBeenCalled();
});
