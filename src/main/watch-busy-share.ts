/** How busy this process is: the share of the time in which its event loop had something to do. */
import { performance } from "node:perf_hooks";

/** Returns a function that tells the share since it was called last, from 0 to 1. */
export function watchBusyShare(): () => number {
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  };
}
