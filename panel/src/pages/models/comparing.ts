/** Which models are being compared, as the address has it. */
import type { PanelModel } from "../../../../src/contract/panel/panel-model.ts";
import { useFilters } from "../../ui/use-filters.ts";

/** More do not fit beside each other. */
export const MOST_COMPARED = 3;

export interface Comparing {
  /** Those that are sold. */
  readonly ids: readonly string[];
  readonly isFull: boolean;
  toggle(id: string): void;
  reset(): void;
}

export function useComparing(models: readonly PanelModel[]): Comparing {
  const { values, set, reset } = useFilters({ compare: "" });
  const asked = values.compare.split(",");
  const ids = models
    .filter(({ id, type }) => type === "chat" && asked.includes(id))
    .map(({ id }) => id)
    .slice(0, MOST_COMPARED);
  return {
    ids,
    isFull: ids.length === MOST_COMPARED,
    toggle: (id) =>
      set({
        compare: (ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id]).join(","),
      }),
    reset,
  };
}
