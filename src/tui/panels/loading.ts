import { messageOf } from "../../protocol/in-words.ts";
import type { Host } from "../host.ts";
import { sanitizeLine } from "../sanitize.ts";

/** `message` is shown while there is no value: that it is loading, or why it failed to. */
type Loading<T> = { value: T | null; message: string };

/** A value that an open panel waits for; the screen is redrawn when it arrives. */
export function loading<T>(host: Host, work: Promise<T>, message: string): Readonly<Loading<T>> {
  const state: Loading<T> = { value: null, message };
  const settle = (change: Partial<Loading<T>>): void => {
    Object.assign(state, change);
    host.redraw();
  };
  work.then(
    (value) => settle({ value }),
    (error: unknown) => settle({ message: sanitizeLine(messageOf(error)) }),
  );
  return state;
}
