/**
 * The connection to an S3-compatible server: everything that the SDK would look up somewhere else
 * is said here.
 */
import { S3Client } from "@aws-sdk/client-s3";
import { toStorageError } from "./storage-error.ts";

export interface S3Address {
  /** Without a path. Null is Amazon itself, where the region says which server. */
  readonly endpoint: string | null;
  readonly region: string;
  readonly bucket: string;
  /** Before every key; empty, or it ends with a slash. */
  readonly prefix: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** From the first byte sent to the first byte of the answer: a part of 5 MiB at 85 KB/s. */
const ANSWER_TIMEOUT_MS = 60_000;
const ATTEMPTS = 3;
/**
 * A slow reader holds one for as long as it reads; past this, requests wait for a place and then
 * time out.
 */
const MAX_SOCKETS = 1_024;
const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

export function createS3Client(address: S3Address): S3Client {
  return new S3Client({
    region: address.region,
    credentials: { accessKeyId: address.accessKeyId, secretAccessKey: address.secretAccessKey },
    // A host of one's own seldom has a name and a certificate for every bucket.
    ...(address.endpoint !== null && { endpoint: address.endpoint, forcePathStyle: true }),
    // The SDK's own checksums come in a framing that some servers take for content and others
    // refuse. Payloads are signed instead.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    maxAttempts: ATTEMPTS,
    retryMode: "standard",
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      requestTimeout: ANSWER_TIMEOUT_MS,
      throwOnRequestTimeout: true,
      // It would end readers that pause; `guarded-body.ts` knows whom to blame for silence.
      socketTimeout: 0,
      httpAgent: { keepAlive: true, maxSockets: MAX_SOCKETS },
      httpsAgent: { keepAlive: true, maxSockets: MAX_SOCKETS },
      logger: SILENT,
    },
    logger: SILENT,
    expectContinueHeader: false,
    // What is left out here, the SDK looks for in the environment and in ~/.aws.
    defaultsMode: "standard",
    authSchemePreference: ["aws.auth#sigv4"],
    disableClockSkewCorrection: false,
    disableMultiregionAccessPoints: true,
    disableS3ExpressSessionAuth: true,
    followRegionRedirects: false,
    useArnRegion: false,
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    userAgentAppId: "tollgate",
  });
}

/**
 * What the server answered, or an error without secrets. When it was the caller who aborted, the
 * caller's own reason.
 */
export async function answerOf<T>(
  operation: string,
  work: Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  try {
    return await work;
  } catch (error) {
    signal?.throwIfAborted();
    throw toStorageError(operation, error);
  }
}

/** A step of a command that sets a header of its own; the value may depend on the body. */
export function settingHeader(name: string, valueOf: (body: unknown) => string) {
  return <Args extends { readonly request: unknown }, Result>(
    next: (args: Args) => Promise<Result>,
  ) =>
    (args: Args): Promise<Result> => {
      const { headers, body } = args.request as {
        readonly headers: Record<string, string>;
        readonly body: unknown;
      };
      headers[name] = valueOf(body);
      return next(args);
    };
}
