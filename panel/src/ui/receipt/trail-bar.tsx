/** What was held, in one bar: filled is what was taken, hatched what was given back. */
import type { ReactNode } from "react";
import type { PanelReceipt } from "../../../../src/contract/panel/panel-request.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { plotAmount } from "../charts/chart-point.ts";
import { useReceiptTexts } from "./use-receipt-texts.ts";

type Step = PanelReceipt["trail"][number];

export function TrailBar({ trail }: Pick<PanelReceipt, "trail">): ReactNode {
  const t = useReceiptTexts();
  const { share } = useFormats();
  const taken = sizeOf(trail, "charge");
  const returned = sizeOf(trail, "release");
  if (taken + returned === 0) return null;
  const part = taken / (taken + returned);
  return (
    <div className="trail">
      <div className="trail-bar" aria-hidden="true">
        {part === 0 ? null : <span className="trail-taken" style={{ width: `${part * 100}%` }} />}
        {part === 1 ? null : <span className="trail-returned" />}
      </div>
      <p className="trail-words">
        <span>{t.takenPart(share(part))}</span>
        <span>{t.returnedPart(share(1 - part))}</span>
      </p>
    </div>
  );
}

/** Only a picture of it. */
function sizeOf(trail: readonly Step[], of: Step["kind"]): number {
  return trail.reduce(
    (sum, { kind, amount }) => (kind === of ? sum + Math.abs(plotAmount(amount)) : sum),
    0,
  );
}
