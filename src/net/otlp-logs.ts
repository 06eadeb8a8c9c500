/**
 * Sends log lines to an OpenTelemetry collector over OTLP/HTTP (JSON): in batches, in the
 * background, within bounds.
 */
import {
  createLossCount,
  EXPORT_TIMEOUT_MS,
  QUEUE_FULL,
  STOPPED,
  type OtlpOptions,
} from "./otlp-collector.ts";
import {
  keyValues,
  resourceOf,
  scopeOf,
  stringValue,
  unixNanos,
  type OtlpAttributes,
} from "./otlp-json.ts";
import { createOtlpSender, within } from "./otlp-sender.ts";

export interface OtlpLine {
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly level: keyof typeof SEVERITIES;
  readonly text: string;
  readonly attributes: OtlpAttributes;
}

export interface OtlpLogs {
  /** Takes it, or drops and counts it where too many wait. */
  record(line: OtlpLine): void;
  /** Lines that no collector took, since the process began. */
  readonly lost: number;
  /** Exports what is left, for two seconds at most. Never rejects. */
  close(): Promise<void>;
}

/** As the data model of OpenTelemetry numbers them. */
const SEVERITIES = { debug: 5, info: 9, warn: 13, error: 17, fatal: 21 } as const;
const BATCH_DELAY_MS = 1_000;
/** Small enough that writing a batch as JSON is no pause for running streams. */
const BATCH_LINES = 256;
/** Beyond this, lines are dropped: some megabytes. */
const QUEUE_LINES = 4_096;

export function openOtlpLogs(options: OtlpOptions): OtlpLogs {
  const loss = createLossCount(options.onLost);
  const sender = createOtlpSender(options, "logs", loss);
  const resource = resourceOf(options);
  const scope = scopeOf(options);
  let queue: OtlpLine[] = [];
  let timer: NodeJS.Timeout | null = null;
  let sending: Promise<void> | null = null;
  let closed = false;

  async function sendBatch(): Promise<void> {
    const batch = queue.splice(0, BATCH_LINES);
    const logRecords = batch.map(recordOf);
    const body = { resourceLogs: [{ resource, scopeLogs: [{ scope, logRecords }] }] };
    await sender.send(body, batch.length);
  }

  /** What comes meanwhile waits for the next time, unless it fills a batch. */
  async function sendWaiting(): Promise<void> {
    do await sendBatch();
    while (queue.length >= BATCH_LINES && !closed);
  }

  async function sendRest(): Promise<void> {
    await sending;
    while (queue.length > 0) await sendBatch();
  }

  function begin(): void {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    sending = sendWaiting().finally(() => {
      sending = null;
      if (queue.length > 0) soon();
    });
  }

  function soon(): void {
    if (closed || timer !== null || sending !== null) return;
    // The process need not wait for it: the close sends what is left.
    timer = setTimeout(begin, BATCH_DELAY_MS).unref();
  }

  return {
    record(line) {
      if (closed) return;
      if (queue.length >= QUEUE_LINES) return loss.add(1, QUEUE_FULL);
      queue.push(line);
      if (queue.length >= BATCH_LINES && sending === null) begin();
      else soon();
    },
    get lost() {
      return loss.total;
    },
    async close() {
      if (closed) return;
      closed = true;
      if (timer !== null) clearTimeout(timer);
      await within(sendRest(), EXPORT_TIMEOUT_MS);
      if (queue.length > 0) loss.add(queue.length, STOPPED);
      queue = [];
      sender.close();
    },
  };
}

function recordOf({ atMs, level, text, attributes }: OtlpLine): object {
  const time = unixNanos(atMs);
  return {
    timeUnixNano: time,
    observedTimeUnixNano: time,
    severityNumber: SEVERITIES[level],
    severityText: level.toUpperCase(),
    body: stringValue(text),
    attributes: keyValues(attributes),
  };
}
