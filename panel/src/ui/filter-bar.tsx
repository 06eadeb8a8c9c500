/** The row of filters above a table. */
import type { ReactNode } from "react";
import { useWords } from "../i18n/use-words.ts";
import { Button } from "./button.tsx";
import type { Filters } from "./use-filters.ts";

export interface FilterBarProps {
  readonly filters: Pick<Filters<string>, "active" | "reset">;
  readonly children: ReactNode;
}

export function FilterBar({ filters, children }: FilterBarProps): ReactNode {
  const words = useWords();
  return (
    <div className="filter-bar" role="search" aria-label={words.filters}>
      {children}
      {filters.active ? (
        <Button look="ghost" onClick={() => filters.reset()}>
          {words.resetFilters}
        </Button>
      ) : null}
    </div>
  );
}
