/** The receipt of one request, followed while it runs. */
import { queryOptions } from "@tanstack/react-query";
import type { PanelReceipt } from "../../../../src/contract/panel/panel-request.ts";
import { readApi } from "../../api/call-api.ts";

const LOOK_AGAIN_MS = 3_000;

export function receiptQuery(id: string) {
  return queryOptions({
    queryKey: ["requests", "one", id],
    queryFn: ({ signal }): Promise<PanelReceipt> =>
      readApi("/requests/{id}", { params: { id }, signal }),
    refetchInterval: ({ state }) => (state.data?.completedAt === null ? LOOK_AGAIN_MS : false),
  });
}
