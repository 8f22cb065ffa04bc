import type { Marks } from "../marks.ts";

const interruption = /^\[Request interrupted by user/;

export const isInterruption = (text: string): boolean => interruption.test(text);

export const marks: Marks = [
  [/^<bash-(input|stdout|stderr)>/, "shell", "shell"],
  [/^<local-command-(stdout|stderr|caveat)>/, "reminder", "command"],
  [/^<command-(name|message|args|contents)>/, "reminder", "command"],
  [/^<(system-reminder|task-notification|user-memory-input)>/, "reminder", "reminder"],
  [/^Caveat: The messages below were generated/, "reminder", "command"],
  [interruption, "reminder", "interrupted"],
];
