/**
 * The one way to fetch what a stranger named: every rule of the guard on every hop, and bounds on
 * all that a server decides.
 */
import type { Readable } from "node:stream";
import { assert } from "../kernel/assert.ts";
import { Fault } from "../kernel/faults.ts";
import { startCall, type BoundedCall } from "./bounded-call.ts";
import { checkUrl, literalOf, SERVER_URL_CHARACTERS, type UrlPolicy } from "./check-url.ts";
import { createAddressFinder } from "./find-addresses.ts";
import { FETCH_LIMITS, type FetchLimits } from "./fetch-limits.ts";
import { FetchRefusal } from "./fetch-refusal.ts";
import {
  exchange,
  type Answer,
  type AnswerHeaders,
  type ExchangeRequest,
} from "./guarded-exchange.ts";
import { createSlots } from "./slots.ts";
import { checkFile, nextHop } from "./read-answer.ts";
import type { ResolveHost } from "./resolve-host.ts";

export interface SafeFetchOptions {
  /**
   * FETCH_ALLOW: ranges of addresses that are let through though they are not public, with any
   * port. Throws for what is no range.
   */
  readonly allow: readonly string[];
  /** Ranges that are refused though they are public: the operator's own. */
  readonly deny?: readonly string[];
  /** Instead of 80 and 443. */
  readonly ports?: readonly number[];
  /** Asked for every name, instead of the name servers and the system. */
  readonly resolve?: ResolveHost;
  /** Certificates to trust instead of the system's, in PEM. */
  readonly ca?: string;
  readonly limits?: Partial<FetchLimits>;
}

interface CallOptions {
  /** For the whole call: names, every hop, and the body to its last byte. */
  readonly deadlineMs: number;
  /** `host:port` that may lie on private addresses (an upstream's `resultHosts`). */
  readonly allowHosts?: readonly string[];
  readonly signal?: AbortSignal;
}

export interface GetOptions extends CallOptions {
  readonly maxBytes: number;
  /** 3 without it. */
  readonly maxRedirects?: number;
  /**
   * A server wrote the URL, as it does each redirect: it may be longer than what a person sends.
   */
  readonly byServer?: true;
}

export interface FetchedFile {
  /** The address that answered, after redirects. */
  readonly url: string;
  /** As the server claims; never a proof. */
  readonly contentType: string | null;
  readonly declaredBytes: number | null;
  /**
   * Must be read to its end or destroyed. Fails with a FetchRefusal (a cap was passed, the body was
   * cut) or the signal's reason.
   */
  readonly body: Readable;
}

export interface PostOptions extends CallOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
  /** The answer is read so far; the rest is dropped. */
  readonly maxAnswerBytes: number;
}

export interface PostAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: AnswerHeaders;
  readonly body: Buffer;
  /**
   * The body was longer than `maxAnswerBytes`, or it broke off, or was not there in time: the
   * status is the answer all the same.
   */
  readonly cut: boolean;
}

/**
 * Calls reject with a FetchRefusal, with the signal's reason when that is aborted, or with the
 * Fault `overloaded` after `close`.
 */
export interface SafeFetch {
  /** The body of a 200, after at most so many redirects. */
  get(url: string, options: GetOptions): Promise<FetchedFile>;
  /** Whatever is answered, also a redirect, which is not followed: for webhooks. */
  post(url: string, options: PostOptions): Promise<PostAnswer>;
  /** Breaks off all that is under way, and resolves when its sockets are gone. */
  close(): Promise<void>;
}

const MAX_REDIRECTS = 3;

/** No cookies, no credentials, nothing of the caller's. */
const GET_HEADERS = { accept: "*/*", "accept-encoding": "identity", "user-agent": "Tollgate" };

/** Those that decide where a request goes and where it ends are not a caller's to set. */
const OWN_HEADERS = new Set([
  "host",
  "connection",
  "content-length",
  "transfer-encoding",
  "expect",
  "upgrade",
  "te",
  "trailer",
  "keep-alive",
]);

export function createSafeFetch(options: SafeFetchOptions): SafeFetch {
  const limits: FetchLimits = { ...FETCH_LIMITS, ...options.limits };
  const findAddresses = createAddressFinder({ ...options, nameMs: limits.nameMs });
  const slots = createSlots();
  const underWay = new Map<BoundedCall, Promise<void>>();
  let closed = false;

  /**
   * Runs something until it has let go of all that it holds: a call whose body is still being read
   * is under way.
   */
  async function bounded<T>(
    given: CallOptions,
    run: (call: BoundedCall, done: () => void) => Promise<T>,
  ): Promise<T> {
    if (closed) throw new Fault("overloaded");
    const call = startCall(given.deadlineMs, () => new FetchRefusal("deadline"), given.signal);
    const gone = Promise.withResolvers<void>();
    underWay.set(call, gone.promise);
    function done(): void {
      call.end();
      underWay.delete(call);
      gone.resolve();
    }
    try {
      return await run(call, done);
    } catch (error) {
      done();
      throw error;
    }
  }

  function check(
    text: string,
    given: CallOptions & Pick<GetOptions, "byServer">,
    redirected: boolean,
  ): URL {
    const policy: UrlPolicy = {
      allow: options.allow,
      ...(options.deny === undefined ? {} : { deny: options.deny }),
      ...(options.ports === undefined ? {} : { ports: options.ports }),
      ...(given.allowHosts === undefined ? {} : { allowHosts: given.allowHosts }),
      ...(redirected || given.byServer === true ? { maxCharacters: SERVER_URL_CHARACTERS } : {}),
    };
    const verdict = checkUrl(text, policy);
    if (!verdict.ok) throw new FetchRefusal(verdict.rule, { redirected });
    return verdict.url;
  }

  /** One request to a checked URL. `hop` gives its place back when the body has said `close`. */
  async function hop(
    url: URL,
    request: Pick<ExchangeRequest, "method" | "headers" | "body" | "maxBytes" | "headersMs">,
    given: CallOptions,
    signal: AbortSignal,
    redirected: boolean,
  ): Promise<Answer> {
    const giveBack = await slots
      .take(`${request.method} ${url.hostname}`, limits.perHost, signal)
      .catch((error: unknown) => {
        throw error instanceof FetchRefusal ? new FetchRefusal("host_busy") : error;
      });
    try {
      const found = await findAddresses(url, given.allowHosts ?? [], signal);
      if (!found.ok) {
        const { rule, cause, transient } = found;
        throw new FetchRefusal(rule, {
          cause,
          redirected,
          ...(transient === undefined ? {} : { transient }),
        });
      }
      const { addresses } = found;
      const hostname = literalOf(url) ?? url.hostname;
      const ca = options.ca === undefined ? {} : { ca: options.ca };
      const answer = await exchange(
        { ...request, ...ca, url, hostname, addresses, limits },
        signal,
      );
      answer.body.once("close", giveBack);
      return answer;
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  async function get(
    given: GetOptions,
    text: string,
    call: BoundedCall,
    done: () => void,
  ): Promise<FetchedFile> {
    const request = {
      method: "GET",
      headers: GET_HEADERS,
      body: null,
      maxBytes: given.maxBytes,
      headersMs: limits.headersMs,
    } as const;
    let url = check(text, given, false);
    for (let redirects = 0; ; redirects += 1) {
      const answer = await hop(url, request, given, call.signal, redirects > 0);
      try {
        const next = nextHop(answer, url);
        if (next === null) {
          const { contentType, declaredBytes } = checkFile(answer, given.maxBytes);
          answer.body.once("close", done);
          return { url: url.href, contentType, declaredBytes, body: answer.body };
        }
        if (redirects === (given.maxRedirects ?? MAX_REDIRECTS))
          throw new FetchRefusal("too_many_redirects");
        await discard(answer.body);
        url = check(next, given, true);
      } catch (error) {
        await discard(answer.body);
        throw error;
      }
    }
  }

  async function post(
    given: PostOptions,
    text: string,
    call: BoundedCall,
    done: () => void,
  ): Promise<PostAnswer> {
    const own = Object.keys(given.headers).find((name) => OWN_HEADERS.has(name.toLowerCase()));
    assert(own === undefined, `the header ${own} is set by the connection`);
    const headers = {
      "user-agent": GET_HEADERS["user-agent"],
      "accept-encoding": "identity",
      ...given.headers,
    };
    const body = Buffer.from(given.body);
    const url = check(text, given, false);
    const request = { method: "POST", headers, body, maxBytes: Infinity, headersMs: null } as const;
    const answer = await hop(url, request, given, call.signal, false);
    answer.body.once("close", done);
    const pieces: Buffer[] = [];
    let bytes = 0;
    let broken = false;
    try {
      for await (const piece of answer.body as AsyncIterable<Buffer>) {
        pieces.push(piece);
        bytes += piece.length;
        if (bytes > given.maxAnswerBytes) break;
      }
    } catch (error) {
      // Anything else is the caller's own word.
      if (!(error instanceof FetchRefusal)) throw error;
      broken = true;
    }
    const whole = Buffer.concat(pieces);
    return {
      status: answer.status,
      headers: answer.headers,
      body: whole.subarray(0, given.maxAnswerBytes),
      cut: broken || bytes > given.maxAnswerBytes,
    };
  }

  return {
    get: (url, given) => bounded(given, (call, done) => get(given, url, call, done)),
    post: (url, given) => bounded(given, (call, done) => post(given, url, call, done)),

    async close() {
      closed = true;
      for (const call of underWay.keys()) call.stop(new Fault("overloaded"));
      await Promise.all(underWay.values());
    },
  };
}

/** Resolves when its connection is gone. */
async function discard(body: Readable): Promise<void> {
  if (body.closed) return;
  const closed = new Promise<void>((resolve) => void body.once("close", resolve));
  body.destroy();
  await closed;
}
