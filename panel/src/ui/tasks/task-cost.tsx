/** What a task costs, and where that money is. */
import type { ReactNode } from "react";
import type { PanelListedTask } from "../../../../src/contract/panel/panel-task.ts";
import { Money } from "../money.tsx";
import { useTaskTexts } from "./use-task-texts.ts";

export function TaskCost({ cost }: Pick<PanelListedTask, "cost">): ReactNode {
  const t = useTaskTexts();
  return (
    <span>
      <Money amount={cost.amount} brief="up" />{" "}
      <span className="quiet small">{t.moneyStates[cost.state]}</span>
    </span>
  );
}
