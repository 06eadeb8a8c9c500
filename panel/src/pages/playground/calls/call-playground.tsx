/** A tab of the playground for one kind of calls that are no chat: a model of it, and its form. */
import type { ReactNode } from "react";
import type { PanelModel } from "../../../../../src/contract/panel/panel-model.ts";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { Select } from "../../../ui/select.tsx";
import type { PlaygroundHalf } from "../payer.tsx";
import { usePlaygroundTexts } from "../use-playground-texts.ts";
import { CallForm } from "./call-form.tsx";
import type { CallKind } from "./call-kind.ts";

interface CallPlaygroundProps extends PlaygroundHalf {
  readonly kind: CallKind;
  /** Of that kind. */
  readonly models: readonly PanelModel[];
}

export function CallPlayground({
  kind,
  models,
  modelId,
  onModel,
  payer,
  payerField,
}: CallPlaygroundProps): ReactNode {
  const t = usePlaygroundTexts();
  const chosen = models.find(({ id }) => id === modelId) ?? models[0];
  return (
    <div className="stack">
      <div className="playground-choices">
        {payerField}
        {chosen === undefined ? null : (
          <Select
            label={t.model}
            value={chosen.id}
            onChange={onModel}
            options={models.map(({ id, displayName }) => ({ value: id, label: displayName }))}
          />
        )}
      </div>
      {chosen === undefined ? (
        <EmptyState title={t.noModelsTitle} text={t.noModelsText} />
      ) : (
        <CallForm kind={kind} model={chosen} payer={payer} />
      )}
    </div>
  );
}
