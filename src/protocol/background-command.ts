/** A background command as the user sees it. */
export type BackgroundCommand = {
  id: string;
  command: string;
  isRunning: boolean;
  /** "running", or how it ended. */
  state: string;
  lastLine: string;
  bytes: number;
  /** Holds the output. */
  file: string;
};
