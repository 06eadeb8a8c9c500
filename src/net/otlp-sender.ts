/**
 * The way of metrics and log lines to an OpenTelemetry collector: JSON over HTTP, one export at a
 * time, each within its time; what is not taken is counted and gone.
 */
import { Agent as HttpAgent, request as httpRequest } from "node:http";
import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import {
  EXPORT_TIMEOUT_MS,
  signalUrl,
  type LossCount,
  type OtlpOptions,
  type OtlpSignal,
} from "./otlp-collector.ts";

export interface OtlpSender {
  /**
   * `items`: how many are in the body; those that are not taken are counted. Never rejects; false
   * where no answer came.
   */
  send(body: object, items: number): Promise<boolean>;
  /** Breaks off what is under way. */
  close(): void;
}

export interface OtlpAnswer {
  readonly status: number;
  readonly text: string;
}

/** More is not read: it can only be words about what was rejected. */
const ANSWER_LIMIT_BYTES = 16 * 1024;

export interface OtlpPost {
  /** Rejects where no answer came in time. */
  post(body: object): Promise<OtlpAnswer>;
  /** Breaks off what is under way. */
  close(): void;
}

/** One export of a signal, whatever is answered: the same way for those that count and for a look. */
export function createOtlpPost(
  options: Pick<OtlpOptions, "endpoint" | "headers">,
  signal: OtlpSignal,
): OtlpPost {
  const url = signalUrl(options.endpoint, signal);
  const secure = url.startsWith("https:");
  const agentOptions = { keepAlive: true, maxSockets: 1 };
  const agent = secure ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions);
  const open = (how: RequestOptions): ClientRequest =>
    secure ? httpsRequest(url, how) : httpRequest(url, how);
  return {
    async post(body) {
      const bytes = Buffer.from(JSON.stringify(body));
      const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
      const exchange = open({
        method: "POST",
        agent,
        headers: {
          ...options.headers,
          "content-type": "application/json",
          "content-length": bytes.length,
        },
        // Connecting, sending, waiting and reading together.
        signal: AbortSignal.timeout(EXPORT_TIMEOUT_MS),
      });
      exchange.on("response", resolve);
      exchange.on("error", reject);
      exchange.end(bytes);
      const response = await promise;
      return { status: response.statusCode ?? 0, text: await readSome(response) };
    },
    close() {
      agent.destroy();
    },
  };
}

export function createOtlpSender(
  options: Pick<OtlpOptions, "endpoint" | "headers">,
  signal: OtlpSignal,
  loss: Pick<LossCount, "add">,
): OtlpSender {
  const { post, close } = createOtlpPost(options, signal);
  return {
    async send(body, items) {
      let answer: OtlpAnswer;
      try {
        answer = await post(body);
      } catch (error) {
        loss.add(items, error);
        return false;
      }
      const { status, text } = answer;
      const rejected = rejectedOf(text);
      // A redirect is no success either: it is not followed, so the headers go nowhere else.
      if (status < 200 || status > 299)
        loss.add(items, new Error(`the collector answered ${status} to ${signal}`));
      else if (rejected > 0)
        loss.add(rejected, new Error(`the collector took ${signal} only in part`));
      return true;
    },
    close,
  };
}

async function readSome(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > ANSWER_LIMIT_BYTES) throw new Error("the collector's answer is too long");
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

/** A 200 may say of how many that it did not take them (`partialSuccess`). */
function rejectedOf(answer: string): number {
  const found = /"rejected(?:DataPoints|LogRecords|Spans)"\s*:\s*"?(\d{1,9})"?/.exec(answer)?.[1];
  return found === undefined ? 0 : Number(found);
}

/** Waits for work that never rejects, but no longer than so. */
export async function within(work: Promise<void>, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const deadline = setTimeout(resolve, ms);
  await Promise.race([work, promise]);
  clearTimeout(deadline);
}
