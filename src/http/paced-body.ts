/** A body that is read as it comes: bounded, and cut off where its sender is slower than one may be. */
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { Clock } from "../kernel/clock.ts";
import { Fault } from "../kernel/faults.ts";
import { watchPace, type PaceLimits } from "./sender-pace.ts";

export interface PacedBodyOptions {
  readonly limitBytes: number;
  /** What refuses a longer one. */
  readonly tooLarge: Fault;
  readonly pace: PaceLimits;
  readonly clock: Clock;
}

/** Errors with the fault that refuses the body. */
export function pacedBody(request: IncomingMessage, options: PacedBodyOptions): Readable {
  const { limitBytes, tooLarge, clock } = options;
  let bytes = 0;
  const pace = watchPace({
    clock,
    limits: options.pace,
    limitBytes,
    onLate: (fault) => void body.destroy(fault),
  });

  function onData(chunk: Buffer): void {
    bytes += chunk.length;
    pace.received(chunk.length);
    if (bytes > limitBytes) body.destroy(tooLarge);
    else if (!body.push(chunk)) {
      // Until it is asked for more the time is ours.
      request.pause();
      pace.hold();
    }
  }

  const body = new Readable({
    read() {
      pace.wait();
      request.resume();
    },
    destroy(error, done) {
      pace.stop();
      request.off("data", onData);
      request.pause();
      done(error);
    },
  });
  body.on("error", () => undefined);
  request.on("data", onData);
  request.pause();
  request.once("end", () => {
    pace.stop();
    body.push(null);
  });
  request.once("close", () => {
    if (!request.complete) body.destroy(BROKEN_OFF);
  });
  return body;
}

const BROKEN_OFF = new Fault("invalid_request", {
  message: "The connection ended before the body was complete.",
});
