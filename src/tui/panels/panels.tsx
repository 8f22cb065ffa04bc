import { Box, measureElement, type DOMElement } from "ink";
import { useEffect, useRef } from "react";
import type { KeyMap } from "../../config/keys.ts";
import type { PanelProps } from "../types.ts";
import { BranchPicker } from "./branches.tsx";
import { ModelPicker, ModePicker, ThemePicker } from "./choose.tsx";
import { CompactPanel } from "./compact.tsx";
import { ConnectPanel } from "./connect.tsx";
import { ContextPanel } from "./context.tsx";
import { CostPanel } from "./cost.tsx";
import { HelpPanel } from "./help.tsx";
import { Inspector } from "./inspector.tsx";
import { LensPanel } from "./lens.tsx";
import { PermissionDialog } from "./permission.tsx";
import { RecallPanel } from "./recall.tsx";
import { ReviewPanel } from "./review.tsx";
import { RewindPicker } from "./rewind.tsx";
import { SessionPicker } from "./sessions.tsx";
import { TodoPanel } from "./todo.tsx";

type PanelsProps = PanelProps & { keys: KeyMap; typing: boolean; onHeight(rows: number): void };

/** What lies over the transcript: the agent's question before anything that the person opened. */
export function Panels(props: PanelsProps) {
  const box = useRef<DOMElement>(null);
  const { onHeight } = props;
  // After every drawing: what a panel shows decides how high it is.
  useEffect(() => {
    if (box.current) onHeight(measureElement(box.current).height);
  });
  return (
    <Box ref={box} flexDirection="column" flexShrink={0}>
      <Content {...props} />
    </Box>
  );
}

function Content(props: PanelsProps) {
  const [ask] = props.state.asks;
  if (ask) return <PermissionDialog key={ask.id} {...props} ask={ask} typing={props.typing} />;
  const { panel, compaction } = props.state;
  if (compaction?.step === "review")
    return <ReviewPanel key={compaction.id} {...props} review={compaction} />;
  switch (panel?.kind) {
    case "help":
      return <HelpPanel {...props} />;
    case "lens":
      return <LensPanel {...props} />;
    case "inspect":
      return <Inspector {...props} />;
    case "context":
      return <ContextPanel {...props} />;
    case "rewind":
      return <RewindPicker {...props} />;
    case "branches":
      return <BranchPicker {...props} />;
    case "recall":
      return <RecallPanel {...props} query={panel.query} />;
    case "connect":
      return <ConnectPanel {...props} />;
    case "model":
      return <ModelPicker {...props} />;
    case "mode":
      return <ModePicker {...props} />;
    case "theme":
      return <ThemePicker {...props} />;
    case "sessions":
      return <SessionPicker {...props} />;
    case "cost":
      return <CostPanel {...props} />;
    case "todo":
      return <TodoPanel {...props} />;
    case "compact":
      return <CompactPanel {...props} focus={panel.focus} />;
    default:
      return null;
  }
}
