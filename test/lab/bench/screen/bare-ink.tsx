/**
 * What Ink itself costs: one line that shows what is typed. Enter adds a word to it 100 times a second,
 * as often as the line says.
 */

import { render, Text, useInput } from "ink";
import { useState } from "react";

function Line() {
  const [text, setText] = useState("");
  const [words, setWords] = useState("");
  useInput((input, key) => {
    if (!key.return) return setText((now) => now + input);
    setText("");
    void stream(Number(/\d+/.exec(text)?.[0] ?? 0));
  });
  async function stream(count: number): Promise<void> {
    const from = performance.now();
    for (let n = 0; n < count; n++) {
      await Bun.sleep(Math.max(0, from + n * 10 - performance.now()));
      setWords((now) => `${now} word${n}`.slice(-80));
    }
    setWords("done-a");
  }
  return <Text>{`❯ Ask ${text} ${words}`}</Text>;
}

render(<Line />, { alternateScreen: true, incrementalRendering: true, interactive: true });
