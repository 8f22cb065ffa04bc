/** Calls `leave` when the reader of standard output has gone, as `| head -1` does. */
export function onClosedPipe(leave: () => void): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    leave();
  });
}
