/**
 * The half of the playground for tasks: a model, its form, the price while it is filled in, and
 * what was ordered.
 */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { PanelModel } from "../../../../../src/contract/panel/panel-model.ts";
import type { PanelListedTask } from "../../../../../src/contract/panel/panel-task.ts";
import { readApi } from "../../../api/call-api.ts";
import { taskKey } from "../../../api/use-task.ts";
import { useLocale } from "../../../i18n/locale.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import { Select } from "../../../ui/select.tsx";
import type { PlaygroundHalf } from "../payer.tsx";
import { usePlaygroundTexts } from "../use-playground-texts.ts";
import { ResultGallery } from "./result-gallery.tsx";
import { TaskForm } from "./task-form.tsx";
import type { TaskModel } from "./task-model.ts";

interface TaskPlaygroundProps extends PlaygroundHalf {
  readonly models: readonly PanelModel[];
  /** A task whose parameters are to be filled in; empty: none. */
  readonly from: string;
  /** The task that was ordered last; empty: none yet. */
  readonly ordered: string;
  onOrdered(taskId: string): void;
  /** Fills in what that task was ordered with. */
  onAgain(task: PanelListedTask): void;
}

export function TaskPlayground({
  models,
  modelId,
  onModel,
  payer,
  payerField,
  from,
  ordered,
  onOrdered,
  onAgain,
}: TaskPlaygroundProps): ReactNode {
  const t = usePlaygroundTexts();
  const { language } = useLocale();
  const offered = models.filter((model): model is TaskModel => model.form !== null);
  const chosen = offered.find(({ id }) => id === modelId) ?? offered[0];
  const source = useQuery({
    queryKey: taskKey(from),
    enabled: from !== "",
    queryFn: ({ signal }) => readApi("/tasks/{id}", { params: { id: from }, signal }),
  });
  if (chosen === undefined) {
    return (
      <div className="stack">
        <div className="playground-choices">{payerField}</div>
        <EmptyState title={t.noModelsTitle} text={t.noModelsText} />
      </div>
    );
  }
  const form = (first: Readonly<Record<string, unknown>>): ReactNode => (
    <TaskForm
      key={`${chosen.id} ${from}`}
      model={chosen}
      payer={payer}
      first={first}
      ordered={ordered}
      onOrdered={onOrdered}
    />
  );
  return (
    <div className="stack">
      <div className="playground-choices">
        {payerField}
        <Select
          label={t.model}
          hint={chosen.form.summary[language]}
          value={chosen.id}
          onChange={onModel}
          options={offered.map(({ id, displayName, form: { title } }) => ({
            value: id,
            label: `${displayName} — ${title[language]}`,
          }))}
        />
      </div>
      {from === "" ? form({}) : <Loaded query={source}>{({ input }) => form(input)}</Loaded>}
      <ResultGallery models={offered.map(({ id }) => id)} ordered={ordered} onAgain={onAgain} />
    </div>
  );
}
