/** Why a task failed, plainly, and what to do about it. */
import type { ReactNode } from "react";
import type { PanelTask } from "../../../../src/contract/panel/panel-task.ts";
import { useTaskTexts } from "./use-task-texts.ts";

export function TaskFailure({
  error,
}: {
  readonly error: NonNullable<PanelTask["error"]>;
}): ReactNode {
  const t = useTaskTexts();
  const canceled = error.code === "canceled";
  return (
    <div className={canceled ? "banner" : "banner banner-danger"} role="status">
      <div className="task-failure">
        <p>
          <b>{t.failures[error.code]}</b> {t.advice[error.code]}
        </p>
        {canceled ? null : (
          <p className="small">
            {t.reported} {error.message}
          </p>
        )}
        <p className="small">{t.nothingCharged}</p>
      </div>
    </div>
  );
}
