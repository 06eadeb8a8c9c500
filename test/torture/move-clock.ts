/**
 * Loaded into a gateway before its own modules (`--import`): moves what the process takes for the
 * time of day, at SIGUSR2, by as many milliseconds as the file TORTURE_CLOCK says then. What counts
 * durations (`performance.now`, timers) cannot be moved from inside a process, nor can it jump on a
 * real machine; PostgreSQL's clock is that of the machine.
 */
import { readFileSync } from "node:fs";

const path = process.env["TORTURE_CLOCK"];
const RealDate = Date;
let aheadMs = 0;

class MovedDate extends RealDate {
  constructor(...parts: [] | [number | string | Date]) {
    if (parts.length === 0) super(RealDate.now() + aheadMs);
    else super(...(parts as [number]));
  }
  static override now(): number {
    return RealDate.now() + aheadMs;
  }
}

if (path !== undefined) {
  globalThis.Date = new Proxy(MovedDate, {
    // More than one argument means the parts of a date, which no jump concerns.
    construct: (moved, parts: unknown[]) =>
      parts.length > 1 ? new RealDate(...(parts as [number, number])) : new moved(...(parts as [])),
    apply: () => new MovedDate().toString(),
  }) as unknown as DateConstructor;
  process.on("SIGUSR2", () => {
    aheadMs = Number(readFileSync(path, "utf8"));
  });
}
