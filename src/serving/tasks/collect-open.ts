/**
 * Opens a result file at its provider: by the guarded fetch as any stranger's address, or with the
 * credential where the files are given to that only.
 */
import { sayReason } from "../../contract/sentences/say-reason.ts";
import type { WordedReason } from "../../contract/operator/upstream-reason.ts";
import { Readable } from "node:stream";
import type { UpstreamConfig } from "../../catalogue/catalogue.ts";
import type { Exchange, Outgoing } from "../../net/outgoing.ts";
import { isTrouble } from "../../net/read-answer.ts";
import type { SafeFetch } from "../../net/safe-fetch.ts";

export interface OpenDeps {
  readonly safeFetch: Pick<SafeFetch, "get">;
  readonly outgoing: Pick<Outgoing, "send">;
}

export interface ResultAddress {
  readonly url: string;
  /** Of the credential; null: everybody may fetch it. */
  readonly headers: Readonly<Record<string, string>> | null;
  readonly upstream: UpstreamConfig;
  readonly maxBytes: number;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

/** The upstream gave something else than the file. */
export class NoFile extends Error {
  override name = "NoFile";
  readonly why: WordedReason;
  /** Its server was in trouble. */
  readonly transient: boolean;
  constructor(
    why: WordedReason,
    { transient, cause }: { readonly transient: boolean; readonly cause?: unknown },
  ) {
    super(why.reason, cause === undefined ? undefined : { cause });
    this.why = why;
    this.transient = transient;
  }
}

const STATUS_OK = 200;
/** So much may wait in memory for its reader. */
const AHEAD_BYTES = 256 * 1024;

/**
 * Rejects with a FetchRefusal or NoFile, or the signal's reason; so may the stream end. It is read
 * to its end or destroyed.
 */
export async function openResult(deps: OpenDeps, address: ResultAddress): Promise<Readable> {
  const { url, headers, upstream, maxBytes, deadlineMs, signal } = address;
  if (headers === null) {
    const bounds = {
      maxBytes,
      deadlineMs,
      signal,
      allowHosts: upstream.resultHosts,
      byServer: true,
    } as const;
    return (await deps.safeFetch.get(url, bounds)).body;
  }
  return openWithCredential(deps.outgoing, { ...address, headers });
}

/**
 * No redirect is followed: the credential goes to the host that the catalogue names, and nowhere
 * else.
 */
function openWithCredential(
  outgoing: Pick<Outgoing, "send">,
  address: ResultAddress & { readonly headers: object },
): Promise<Readable> {
  const { url, headers, upstream, deadlineMs, signal } = address;
  const { origin, pathname, search } = new URL(url);
  const { connect, firstByte, idle } = upstream.timeoutsMs;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(asError(signal.reason));
    const body = new Readable({
      highWaterMark: AHEAD_BYTES,
      read: () => exchange?.resume(),
      destroy: stop,
    });
    // An error before the body is read must not end the process; its reader hears of it as soon as
    // it reads.
    body.on("error", () => undefined);
    let exchange: Exchange | null = null;
    function stop(error: Error | null, done: (error?: Error | null) => void): void {
      signal.removeEventListener("abort", cut);
      clearTimeout(late);
      exchange?.abort();
      done(error);
    }
    function fail(error: Error): void {
      reject(error);
      body.destroy(error);
    }
    function cut(): void {
      fail(asError(signal.reason));
    }
    signal.addEventListener("abort", cut, { once: true });
    const late = setTimeout(
      () => fail(new NoFile(sayReason("file_too_slow"), { transient: true })),
      deadlineMs,
    );
    exchange = outgoing.send(
      {
        origin,
        path: pathname + search,
        method: "GET",
        headers: { ...headers, accept: "*/*", "accept-encoding": "identity" },
        body: null,
        connectTimeoutMs: connect,
        firstByteTimeoutMs: firstByte,
        idleTimeoutMs: idle,
      },
      {
        onHeaders(status) {
          if (status === STATUS_OK) resolve(body);
          else
            fail(
              new NoFile(sayReason("file_status", { status }), {
                transient: isTrouble(status),
              }),
            );
        },
        onData(chunk) {
          if (!body.push(chunk)) exchange?.pause();
        },
        onEnd: () => void body.push(null),
        onError: (error) => {
          const why = sayReason("file_not_fetched", { words: error.message });
          fail(new NoFile(why, { transient: true, cause: error }));
        },
      },
    );
  });
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error("broken off", { cause: reason });
}
