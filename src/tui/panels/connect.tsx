/** Who answers from now on: a key from Anthropic, or a server on this machine. */

import { Box, Text } from "ink";
import { useEffect, useState } from "react";
import { useLatest } from "../use-latest.ts";
import { useKeys } from "../input.tsx";
import { sanitiseLine } from "../sanitise.ts";
import type { LocalServer, PanelProps } from "../types.ts";
import { fit } from "../wrap.ts";
import { Picker, type Choice } from "./picker.tsx";

type Way = { kind: "key" } | { kind: "server"; baseUrl: string; model: string };

export function ConnectPanel(props: PanelProps) {
  const { options, open, dispatch, theme, columns, rows } = props;
  const [servers, setServers] = useState<readonly LocalServer[] | null>(null);
  const asksForKey = useLatest(false);
  const { services } = options;
  useEffect(() => {
    let isGone = false;
    void (services.servers?.() ?? Promise.resolve([])).then((list) => isGone || setServers(list));
    return () => {
      isGone = true;
    };
  }, [services]);
  if (asksForKey.get()) return <KeyField {...props} />;
  return (
    <Picker
      title={servers === null ? "Connect: looking for servers on this machine …" : "Connect"}
      hint="Enter goes on with it, in this session · type to search · Esc goes on as it is"
      none=""
      choices={waysTo(servers ?? [])}
      onChoose={(way) => {
        if (way.kind === "key") return asksForKey.set(true);
        dispatch({ type: "panel", panel: null });
        open({ kind: "server", baseUrl: way.baseUrl, model: way.model });
      }}
      theme={theme}
      columns={columns}
      rows={rows}
    />
  );
}

function waysTo(servers: readonly LocalServer[]): Choice<Way>[] {
  const local = servers.flatMap(({ name, baseUrl, models }) =>
    models.map((model) => ({
      value: { kind: "server" as const, baseUrl, model },
      line: `${sanitiseLine(model)}, served by ${name} at ${baseUrl}`,
    })),
  );
  return [...local, { value: { kind: "key" }, line: "A key from Anthropic, to be pasted here" }];
}

/** Holds the key in memory only, and never draws a letter of it. */
function KeyField({ open, dispatch, theme, columns }: PanelProps) {
  const key = useLatest("");
  useKeys("dialog", (event) => {
    if (event.type === "paste") key.set(key.get() + event.text.trim());
    if (event.type !== "key") return true;
    const { chord, text } = event;
    if (chord === "ctrl+c") return false;
    if (chord === "escape") dispatch({ type: "panel", panel: null });
    else if (chord === "backspace") key.set(key.get().slice(0, -1));
    else if (chord === "ctrl+u") key.set("");
    else if (chord !== "enter") key.set(key.get() + text.trim());
    else if (key.get() !== "") {
      dispatch({ type: "panel", panel: null });
      open({ kind: "key", key: key.get() });
    }
    return true;
  });
  const { length } = key.get();
  return (
    <Box flexDirection="column" width={columns}>
      <Text wrap="truncate">
        {theme.paint("boundary", fit("── Key from Anthropic ".padEnd(columns, "─"), columns))}
      </Text>
      <Text wrap="truncate">
        {length === 0
          ? "Paste it here."
          : `${"•".repeat(Math.min(length, columns - 20))} ${length}`}
      </Text>
      <Text wrap="truncate">
        {theme.paint(
          "dim",
          fit("Enter goes on with it until you leave; it is written nowhere · Esc closes", columns),
        )}
      </Text>
    </Box>
  );
}
