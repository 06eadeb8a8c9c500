/** What the figures were measured on, without a name of it. */
import { availableParallelism, cpus, release, totalmem } from "node:os";

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly kernel: string;
  readonly node: string;
}

export function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    // The version only: what distributors add may name a place.
    kernel: `Linux ${release().split("-", 1).join("")}`,
    node: process.version,
  };
}
