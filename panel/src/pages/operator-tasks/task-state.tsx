/** Where a task is: its state, and the step that is due next. */
import type { ReactNode } from "react";
import type { OperatorTask } from "../../../../src/contract/panel/operator-tasks.ts";
import { useWorkTexts } from "../../ui/operator/use-work-texts.ts";
import { Status } from "../../ui/status.tsx";

const TONES = { queued: "neutral", processing: "live", completed: "good", failed: "bad" } as const;

export function TaskState({ task: { state, phase } }: { readonly task: OperatorTask }): ReactNode {
  const t = useWorkTexts();
  return (
    <span className="row">
      <Status tone={TONES[state]}>{t.taskStates[state]}</Status>
      {phase === null ? null : <span className="quiet small">{t.phases[phase] ?? phase}</span>}
    </span>
  );
}
