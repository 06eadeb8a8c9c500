/** A model, and below it which of its price lists is meant. */
import type { ReactNode } from "react";
import type { MarginRow } from "../../../../src/contract/price/margin.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { useCatalogueTexts } from "./use-catalogue-texts.ts";

type Part = Pick<MarginRow, "model" | "tier" | "variant">;

export function PartName(part: Part): ReactNode {
  const words = usePartWords();
  return (
    <span>
      {part.model}
      {words(part).map((word) => (
        <small key={word} className="quiet operator-catalogue-tier">
          {word}
        </small>
      ))}
    </span>
  );
}

/** A variant, a tier; none: the base. */
export function usePartWords(): (part: Part) => readonly string[] {
  const t = useCatalogueTexts();
  const { count } = useFormats();
  return ({ tier, variant }) =>
    [variant ?? "", tier === null ? "" : t.aboveTokens(tier, count(tier))].filter(
      (words) => words !== "",
    );
}
