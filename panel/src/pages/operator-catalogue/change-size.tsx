/** By how much a price changes, in percent; what is much is said in words. */
import type { ReactNode } from "react";
import type { ChangeOf } from "../../../../src/contract/price/change-of.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { Badge } from "../../ui/badge.tsx";
import { useCatalogueTexts } from "./use-catalogue-texts.ts";

export function ChangeSize({ percent, big }: ChangeOf): ReactNode {
  const t = useCatalogueTexts();
  const { decimal } = useFormats();
  const size =
    percent === null
      ? t.fromNothing
      : `${percent.startsWith("-") ? "−" : "+"}${decimal(percent.replace(/^-/, ""))}\u00A0%`;
  return (
    <span className="operator-catalogue-what">
      <span className="figure">{size}</span>
      {big ? <Badge tone="warn">{t.big}</Badge> : null}
    </span>
  );
}
