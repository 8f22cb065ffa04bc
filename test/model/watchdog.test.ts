import { expect, test } from "bun:test";
import { startWatchdog } from "../../src/model/watchdog.ts";
import { FakeClock } from "../fake-api/index.ts";

function open() {
  const clock = new FakeClock();
  const person = new AbortController();
  return { clock, person, dog: startWatchdog(person.signal, 1_000, clock) };
}

test("silence ends the call, bytes postpone it", () => {
  const { clock, dog } = open();
  for (let n = 0; n < 3; n += 1) {
    clock.advance(999);
    dog.alive();
  }
  expect(dog.signal.aborted).toBe(false);
  clock.advance(1_000);
  expect(dog.signal.aborted).toBe(true);
  expect(dog.stalledMs).toBe(1_000);
});

test("ends a stream of pings alone, but not one with events", () => {
  const { clock, dog } = open();
  for (let n = 0; n < 20; n += 1) {
    clock.advance(900);
    if (n % 4 === 3) dog.progressed();
    else dog.alive();
  }
  expect(dog.signal.aborted).toBe(false);
  for (let n = 0; n < 6; n += 1) {
    clock.advance(900);
    dog.alive();
  }
  expect(dog.stalledMs).toBe(5_000);
});

test("a stop by the user is not a stall, and no timer is left", () => {
  const { clock, person, dog } = open();
  person.abort();
  expect(dog.signal.aborted).toBe(true);
  expect(dog.stalledMs).toBeNull();
  dog.end();
  expect(clock.waiting).toBe(0);
});

test("a stream that was alive before the computer slept gets all the time again", () => {
  let sleptMs = 0;
  const clock = new FakeClock();
  const { now, random } = clock;
  const after = clock.after.bind(clock);
  const dog = startWatchdog(new AbortController().signal, 1_000, {
    now: () => now() + sleptMs,
    random,
    after,
  });
  clock.advance(900);
  dog.alive();
  sleptMs = 3_600_000;
  clock.advance(1_000);
  expect(dog.signal.aborted).toBe(false);
  clock.advance(100);
  expect(dog.stalledMs).toBe(1_000);
});
