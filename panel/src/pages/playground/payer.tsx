/** Which key pays. */
import type { ReactNode } from "react";
import type { PanelKey } from "../../../../src/contract/panel/panel-key.ts";
import { Select } from "../../ui/select.tsx";
import { usePlaygroundTexts } from "./use-playground-texts.ts";

/** What both halves of the playground are given. */
export interface PlaygroundHalf {
  readonly payer: PanelKey;
  readonly payerField: ReactNode;
  /** As the address says it; empty: the first one. */
  readonly modelId: string;
  onModel(id: string): void;
}

interface PayerProps {
  readonly keys: readonly PanelKey[];
  readonly payer: PanelKey;
  onChange(hash: string): void;
}

/** Says which key a request is made through. */
export const PAYER_HEADER = "x-tollgate-key";

export function Payer({ keys, payer, onChange }: PayerProps): ReactNode {
  const t = usePlaygroundTexts();
  return (
    <Select
      label={t.key}
      hint={t.keyHint}
      value={payer.hash}
      onChange={onChange}
      options={keys.map(({ hash, name, mask }) => ({ value: hash, label: `${name} · ${mask}` }))}
    />
  );
}
