/**
 * Images of an upstream's answer as their caller gets them: as base64, also where the upstream gave
 * their address, or as files in our storage.
 */
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { Clock } from "../../kernel/clock.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { UPSTREAM_BODY_LIMIT_BYTES } from "../../kernel/limits.ts";
import { detectType, HEAD_BYTES } from "../../media/detect-type.ts";
import { FetchRefusal } from "../../net/fetch-refusal.ts";
import type { SafeFetch } from "../../net/safe-fetch.ts";
import type { UpstreamAnswer } from "../../protocol/calls/call-protocol.ts";
import { isRecord } from "../../protocol/json/is-record.ts";
import type { Intake } from "../files/intake.ts";

export interface CompleteImagesDeps {
  readonly safeFetch: Pick<SafeFetch, "get">;
  /** For results that were paid for: no quota refuses them. */
  readonly resultIntake: Intake;
  readonly clock: Clock;
  /** Without a slash at its end. */
  staticUrl(): string;
  onError(what: string, error: unknown): void;
}

export interface ImagesOwner {
  readonly accountId: Uuid;
  readonly keyId: Uuid | null;
  /** `url`: they are wanted as files of ours. */
  readonly format: "url" | "b64_json";
}

export interface AnsweredBy {
  /** `host:port` of the upstream that may lie on private addresses. */
  readonly resultHosts: readonly string[];
  /** Aborted when the answer is not wanted any more. */
  readonly signal: AbortSignal;
}

/** For all images of one answer. */
const FETCH_MS = 60_000;
/** Of all images together: as much as an answer that has them in it may have. */
const FETCHED_LIMIT_BYTES = UPSTREAM_BODY_LIMIT_BYTES;
const DATA_URL = /^data:image\/[\w.+-]+;base64,/i;

/**
 * Every other byte as it came where nothing is to be done. Throws Fault("upstream_error") for an
 * image that cannot be fetched, and the signal's reason. One that cannot be stored stays base64: it
 * is paid for.
 */
export async function completeImages(
  deps: CompleteImagesDeps,
  owner: ImagesOwner,
  answer: UpstreamAnswer,
  by: AnsweredBy,
): Promise<UpstreamAnswer> {
  const body = JSON.parse(answer.body.toString("utf8")) as Record<string, unknown>;
  const images = body["data"] as readonly unknown[];
  if (owner.format !== "url" && !images.some((each) => urlOf(each) !== null)) return answer;
  const fetching = { untilMs: deps.clock.monotonicMs() + FETCH_MS, leftBytes: FETCHED_LIMIT_BYTES };
  const data: unknown[] = [];
  for (const image of images) data.push(await complete(deps, owner, image, by, fetching));
  return { contentType: answer.contentType, body: Buffer.from(JSON.stringify({ ...body, data })) };
}

interface Fetching {
  readonly untilMs: number;
  leftBytes: number;
}

async function complete(
  deps: CompleteImagesDeps,
  owner: ImagesOwner,
  image: unknown,
  by: AnsweredBy,
  fetching: Fetching,
): Promise<unknown> {
  if (!isRecord(image)) return image;
  const { b64_json: sent, url: _, ...rest } = image;
  const address = urlOf(image);
  let base64: string;
  if (address !== null) base64 = await fetchBase64(deps, address, by, fetching);
  else if (typeof sent === "string") base64 = sent;
  else return image;
  if (owner.format !== "url") return { ...rest, b64_json: base64 };
  const url = await store(deps, owner, base64).catch((error: unknown) => {
    deps.onError("an image that was made could not be stored", error);
    return null;
  });
  return url === null ? { ...rest, b64_json: base64 } : { ...rest, url };
}

/** Of an image that came by its address alone. */
function urlOf(image: unknown): string | null {
  if (!isRecord(image) || typeof image["b64_json"] === "string") return null;
  const { url } = image;
  return typeof url === "string" && url !== "" ? url : null;
}

async function fetchBase64(
  deps: CompleteImagesDeps,
  url: string,
  { resultHosts, signal }: AnsweredBy,
  fetching: Fetching,
): Promise<string> {
  const inIt = DATA_URL.exec(url)?.[0];
  if (inIt !== undefined) return url.slice(inIt.length);
  let bytes: Buffer;
  try {
    const fetched = await deps.safeFetch.get(url, {
      maxBytes: fetching.leftBytes,
      deadlineMs: Math.max(1, fetching.untilMs - deps.clock.monotonicMs()),
      allowHosts: resultHosts,
      byServer: true,
      signal,
    });
    bytes = await buffer(fetched.body);
  } catch (error) {
    if (!(error instanceof FetchRefusal)) throw error;
    throw new Fault("upstream_error", { message: notFetched(error.message), cause: error });
  }
  fetching.leftBytes -= bytes.length;
  if ((await detectType(bytes.subarray(0, HEAD_BYTES))).media !== "image")
    throw new Fault("upstream_error", { message: notFetched("There is no image at that URL.") });
  return bytes.toString("base64");
}

function notFetched(why: string): string {
  return `The upstream answered with the address of an image instead of the image, and it could not be fetched. ${why} Nothing is charged.`;
}

async function store(
  deps: CompleteImagesDeps,
  { accountId, keyId }: ImagesOwner,
  base64: string,
): Promise<string> {
  const received = await deps.resultIntake.receive({
    accountId,
    keyId,
    origin: "result",
    fileName: null,
    limitBytes: FETCHED_LIMIT_BYTES,
    source: Readable.from([Buffer.from(base64, "base64")], { objectMode: false }),
    signal: new AbortController().signal,
  });
  const { name } = await received.commit();
  return `${deps.staticUrl()}/${name}`;
}
