/** How each model fares, by its id; asked again while it is looked at. */
import { useQuery } from "@tanstack/react-query";
import type { PanelModelStatus } from "../../../../src/contract/panel/panel-model.ts";
import { readApi } from "../../api/call-api.ts";

const EVERY_MS = 60_000;

export function useModelStatuses(): (id: string) => PanelModelStatus | undefined {
  const { data } = useQuery({
    queryKey: ["models", "status"],
    queryFn: ({ signal }) => readApi("/models/status", { signal }),
    refetchInterval: EVERY_MS,
  });
  return (id) => data?.data.find((one) => one.id === id);
}
