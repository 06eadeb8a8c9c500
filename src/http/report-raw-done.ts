/** Reports the end of a raw route's request, with what its service adds to the line of the log. */
import type { Clock } from "../kernel/clock.ts";
import type { Uuid } from "../kernel/ids.ts";
import type { ChatRouteDone } from "./chat-route.ts";
import type { LogExtra, RequestDone } from "./request-log.ts";

export interface RawDoneDeps {
  readonly clock: Pick<Clock, "monotonicMs">;
  takeExtra(requestId: Uuid): LogExtra;
  requestDone(done: RequestDone): void;
}

export function reportDone(deps: RawDoneDeps, route: string): (done: ChatRouteDone) => void {
  return ({ requestId, startedMs, status, key, fault, aborted }) =>
    deps.requestDone({
      requestId,
      method: "POST",
      route,
      status,
      ms: deps.clock.monotonicMs() - startedMs,
      key,
      fault,
      aborted,
      extra: deps.takeExtra(requestId),
    });
}
