/** Above what one model says: which it is, what its tokens cost, and that it may leave. */
import type { ReactNode } from "react";
import type { PanelModel } from "../../../../../src/contract/panel/panel-model.ts";
import { Button } from "../../../ui/button.tsx";
import { ModelPicker, usePriceOf } from "./model-picker.tsx";
import { useChatTexts } from "./use-chat-texts.ts";

interface LaneHeadProps {
  readonly label: string;
  readonly models: readonly PanelModel[];
  readonly value: string;
  onChange(id: string): void;
  /** Absent: it is the only one. */
  onLeave?(): void;
}

export function LaneHead({ label, models, value, onChange, onLeave }: LaneHeadProps): ReactNode {
  const t = useChatTexts();
  const priceOf = usePriceOf();
  const model = models.find(({ id }) => id === value);
  return (
    <>
      <ModelPicker label={label} models={models} value={value} onChange={onChange} />
      {model === undefined ? null : (
        <span className="quiet small chat-lane-price" title={priceOf(model)}>
          {priceOf(model, onLeave !== undefined)}
        </span>
      )}
      {onLeave === undefined ? null : (
        <Button
          small
          look="ghost"
          icon="close"
          aria-label={t.leaveModel(model?.displayName ?? value)}
          onClick={onLeave}
        />
      )}
    </>
  );
}
