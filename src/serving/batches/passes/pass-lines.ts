/**
 * Lines of a pass through the service of their endpoint, against an upstream that is not called: it
 * keeps what it is asked, and answers what it is told.
 */
import type { LeasedLine } from "../../../batches/batch-record.ts";
import type { Exchange, Outgoing, OutgoingRequest, ResponseSink } from "../../../net/outgoing.ts";
import type { SingleRequest } from "../../../upstreams/batches/upstream-batches.ts";
import type { LineOutcome, LineServices } from "../run-line.ts";

export interface GivenAnswer {
  readonly status: number;
  readonly body: Buffer;
}

/** One line at a time. */
export interface PassLines {
  /** What it would be sent as; null: it would not be sent. */
  record(line: LeasedLine): Promise<SingleRequest | null>;
  /** As if its upstream had answered so. */
  settle(line: LeasedLine, answer: GivenAnswer): Promise<LineOutcome>;
}

/** An upstream's own mistake ends a line at once, whatever it is. */
const NOT_CALLED: GivenAnswer = {
  status: 400,
  body: Buffer.from('{"error":{"message":"not called","type":"invalid_request_error"}}'),
};

export interface SilentUpstream {
  readonly outgoing: Outgoing;
  answer: GivenAnswer;
  asked: OutgoingRequest | null;
}

function createSilentUpstream(): SilentUpstream {
  const upstream: SilentUpstream = {
    answer: NOT_CALLED,
    asked: null,
    outgoing: {
      send(request, sink) {
        upstream.asked ??= request;
        return answered(sink, upstream.answer);
      },
      close: async () => undefined,
    },
  };
  return upstream;
}

function answered(sink: ResponseSink, { status, body }: GivenAnswer): Exchange {
  let aborted = false;
  queueMicrotask(() => {
    if (aborted) return;
    sink.onHeaders(status, { "content-type": "application/json" });
    sink.onData(body);
    sink.onEnd();
  });
  return {
    abort: () => (aborted = true),
    pause: () => undefined,
    resume: () => undefined,
  };
}

export interface PassLinesDeps {
  /** With the route of the pass and no other, over this upstream; silent of what comes of it. */
  readonly recording: (upstream: SilentUpstream) => LineServices;
  /** The same, and heard of as every request is. */
  readonly settling: (upstream: SilentUpstream) => LineServices;
  run(services: LineServices, line: LeasedLine): Promise<LineOutcome>;
}

export function createPassLines({ recording, settling, run }: PassLinesDeps): PassLines {
  const listener = createSilentUpstream();
  const speaker = createSilentUpstream();
  const recorder = recording(listener);
  const settler = settling(speaker);
  return {
    async record(line) {
      listener.asked = null;
      await run(recorder, line);
      const request = listener.asked as OutgoingRequest | null;
      return request !== null && Buffer.isBuffer(request.body)
        ? { path: request.path, body: request.body }
        : null;
    },
    async settle(line, answer) {
      speaker.answer = answer;
      speaker.asked = null;
      return run(settler, line);
    },
  };
}
