import { messageOf } from "../../protocol/in-words.ts";
import type { Host } from "../host.ts";
import { sanitizeLine } from "../sanitize.ts";

/** `message` is shown while there is no value: that it is loading, or why it failed to. */
type Loading<T> = { value: T | null; message: string };

/** A value that an open panel waits for; the screen is redrawn when it arrives. */
export function loading<T>(host: Host, work: Promise<T>, message: string): Readonly<Loading<T>> {
  const state: Loading<T> = { value: null, message };
  void work
    .then(
      (value) => (state.value = value),
      (error: unknown) => (state.message = sanitizeLine(messageOf(error))),
    )
    .then(host.redraw);
  return state;
}
