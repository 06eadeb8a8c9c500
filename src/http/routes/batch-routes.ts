/** All routes of batches and their files, of both protocols. */
import type { Clock } from "../../kernel/clock.ts";
import type { Route } from "../route.ts";
import { batchFilesRoutes, type BatchFilesRouteDeps } from "./batch-files.ts";
import { batchesRoutes, type BatchesRouteDeps } from "./batches.ts";
import { messageBatchesRoutes, type MessageBatchesRouteDeps } from "./message-batches.ts";
import type { PaceLimits } from "../sender-pace.ts";

export type BatchRoutesDeps = BatchesRouteDeps &
  Omit<MessageBatchesRouteDeps, "clock" | "pace" | "limitBytes"> &
  Pick<BatchFilesRouteDeps, "files">;

export function batchRoutes(
  deps: BatchRoutesDeps,
  { clock, pace }: { readonly clock: Clock; readonly pace: PaceLimits },
): Route[] {
  return [
    ...batchFilesRoutes({ files: deps.files, clock, pace }),
    ...batchesRoutes(deps),
    ...messageBatchesRoutes({ ...deps, clock, pace, limitBytes: deps.files.limitBytes }),
  ];
}
