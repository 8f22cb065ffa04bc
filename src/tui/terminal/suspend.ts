/**
 * Suspends the job like Ctrl-Z in a shell, and returns when it is resumed. Suspends the process group,
 * because a parent in the foreground would keep the shell waiting. Returns at once if there is no shell
 * to resume it.
 */
export async function suspendProcess(): Promise<void> {
  process.kill(0, "SIGTSTP");
  // Gives the signal time to arrive; the timer does not advance while suspended.
  await Bun.sleep(50);
}
