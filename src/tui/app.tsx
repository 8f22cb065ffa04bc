import { useApp, useStdin } from "ink";
import { useEffect } from "react";

type Suspend = (work: () => Promise<void>) => Promise<void>;

type AppProps = {
  /** Hands out what runs other programs on this terminal. */
  onStart(suspend: Suspend): void;
};

/** Takes the terminal: keys arrive one by one and without echo. What is shown is drawn by a painter. */
export function App({ onStart }: AppProps) {
  const { suspendTerminal } = useApp();
  const { setRawMode } = useStdin();
  useEffect(() => {
    onStart(suspendTerminal);
    setRawMode(true);
    return () => setRawMode(false);
    // Once, for as long as the screen is shown.
  }, []);
  return null;
}
