/** Which model answers: found by its name, with the price of its tokens beside it. */
import { useMemo } from "react";
import type { ReactNode } from "react";
import type { PanelModel } from "../../../../../src/contract/panel/panel-model.ts";
import { useFormats } from "../../../i18n/locale.tsx";
import { Combobox } from "../../../ui/combobox.tsx";
import { useChatTexts } from "./use-chat-texts.ts";

interface ModelPickerProps {
  readonly label: string;
  readonly models: readonly PanelModel[];
  readonly value: string;
  onChange(id: string): void;
}

export function ModelPicker({ label, models, value, onChange }: ModelPickerProps): ReactNode {
  const priceOf = usePriceOf();
  const choices = useMemo(
    () =>
      models.map((model) => ({
        value: model.id,
        label: model.displayName,
        note: priceOf(model),
        also: [model.id, ...model.aliases].join(" "),
      })),
    [models, priceOf],
  );
  return (
    <Combobox
      label={label}
      quietLabel
      required
      value={value}
      onChange={onChange}
      choices={choices}
      onSearch={ignore}
      busy={false}
      takesTyped={never}
    />
  );
}

/** Of a million tokens; `short`: without saying so. */
export function usePriceOf(): (model: PanelModel, short?: boolean) => string {
  const t = useChatTexts();
  const { moneyWhole } = useFormats();
  return useMemo(
    () =>
      ({ price }, short = false) =>
        price.kind === "chat"
          ? (short ? t.pricesShort : t.pricePerMillion)(
              moneyWhole(price.input),
              moneyWhole(price.output),
            )
          : "",
    [t, moneyWhole],
  );
}

/** All of them are there already. */
function ignore(): void {}
const never = (): boolean => false;
