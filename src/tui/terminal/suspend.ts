/**
 * Stops this job as Ctrl-Z does in a shell, until the shell continues it; at once where no shell
 * would. The whole group stops: the program that started us must not wait in our place.
 */
export async function suspendProcess(): Promise<void> {
  process.kill(0, "SIGTSTP");
  // The signal takes its effect within this time, and time does not pass while we are stopped.
  await Bun.sleep(50);
}
