/**
 * A real S3-compatible server on a loopback port of its own: s3rver behind a endpoint at which a
 * test can listen and interfere.
 *
 * s3rver 3.7.1 stores and serves well, but is old. What it lacks:
 * - It takes any signature of version 4, and none at all, so the endpoint looks at them.
 * - It knows neither ListMultipartUploads nor AbortMultipartUpload (501 and 405), so the endpoint
 *   answers both from s3rver's own folder.
 * - A write that is cut off stays, and can be read, under its final name; a part that is cut off is
 *   never answered.
 * - `Range: bytes=0-0` is answered with everything (206, `bytes 0-…`), since an end of 0 counts as
 *   none; any range of an empty object with a length of 1 and no byte, where others answer 416.
 * - It does not insist on parts of 5 MiB, takes no notice of Content-MD5, CRC32 and If-None-Match,
 *   and keeps aws-chunked framing as content.
 * - It names an object's type only as it was stored, and overrides the headers of presigned
 *   addresses as Amazon does.
 */
import { mkdtemp, readFile, readdir, rm, stat, utimes } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isSigned } from "./is-signed.ts";

/** The few words of s3rver that are used here; it has no types of its own. */
interface S3rver {
  configureBuckets(): Promise<unknown>;
  callback(): (request: IncomingMessage, response: ServerResponse) => void;
  on(event: "error", listener: (error: Error) => void): void;
}
interface S3rverOptions {
  readonly directory: string;
  readonly silent: boolean;
  readonly vhostBuckets: boolean;
  readonly configureBuckets: readonly { readonly name: string }[];
}
interface S3rverAccount {
  readonly DUMMY_ACCOUNT: { createKeyPair(accessKeyId: string, secretAccessKey: string): void };
}

export const BUCKET = "tollgate-test";
export const ACCESS_KEY = "AKIDEXAMPLE";
/** With every character that has to be encoded in an address. */
export const SECRET = "s/cr+t%=?&:@#x";

/** True: the test has answered, or will. */
export type Interference = (request: IncomingMessage, response: ServerResponse) => boolean;

export interface S3Server extends AsyncDisposable {
  readonly port: number;
  /** STORAGE_URL of this server. */
  url(parameters?: string): string;
  /** Every request since the start, as it came in. */
  readonly requests: {
    readonly method: string;
    readonly url: string;
    readonly headers: IncomingMessage["headers"];
  }[];
  readonly sockets: ReadonlySet<Socket>;
  /** Asked before s3rver is. */
  interfere: Interference | null;
  /** How many uploads a page of the list has. */
  uploadsPerPage: number;
  /** Keys of the uploads that were begun and neither completed nor aborted. */
  uploads(): Promise<string[]>;
  /** Keys of all objects, whole or not. */
  objects(): Promise<string[]>;
  /** Makes all pending uploads older than they are. */
  ageUploads(byMs: number): Promise<void>;
}

export async function startS3Server(): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-s3-"));
  const require = createRequire(import.meta.url);
  const S3rver = require("s3rver") as new (options: S3rverOptions) => S3rver;
  const account = require("s3rver/lib/models/account.js") as S3rverAccount;
  account.DUMMY_ACCOUNT.createKeyPair(ACCESS_KEY, SECRET);
  const s3rver = new S3rver({
    directory: folder,
    silent: true,
    vhostBuckets: false,
    configureBuckets: [{ name: BUCKET }],
  });
  // Clients that go away are what is tested.
  s3rver.on("error", () => undefined);
  await s3rver.configureBuckets();
  const answer = s3rver.callback();
  const uploadsFolder = join(folder, BUCKET, "._S3rver_uploads");

  const endpoint = createServer((request, response) => {
    server.requests.push({
      method: request.method ?? "",
      url: request.url ?? "",
      headers: request.headers,
    });
    if (server.interfere?.(request, response) === true) return;
    if (!isSigned(request, ACCESS_KEY, SECRET)) return refuse(request, response);
    const { pathname, searchParams } = new URL(request.url ?? "", "http://s3");
    const uploadId = searchParams.get("uploadId");
    if (request.method === "DELETE" && uploadId !== null) void abortUpload(uploadId, response);
    else if (request.method === "GET" && pathname === `/${BUCKET}/` && searchParams.has("uploads"))
      void listUploads(searchParams, response);
    else answer(request, response);
  });
  const sockets = new Set<Socket>();
  endpoint.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => endpoint.listen(0, "127.0.0.1", resolve));
  const { port } = endpoint.address() as AddressInfo;

  const server: S3Server = {
    port,
    url: (parameters = "http=1") =>
      `s3://${ACCESS_KEY}:${encodeURIComponent(SECRET)}@127.0.0.1:${port}/${BUCKET}${parameters === "" ? "" : `?${parameters}`}`,
    requests: [],
    sockets,
    interfere: null,
    uploadsPerPage: 1_000,
    uploads: async () => (await pending()).map(({ key }) => key),
    async objects() {
      const names = await readdir(join(folder, BUCKET), { recursive: true });
      return names
        .filter((name) => name.endsWith("._S3rver_object"))
        .map((name) => name.slice(0, -"._S3rver_object".length));
    },
    async ageUploads(byMs) {
      for (const { id, begunMs } of await pending()) {
        const time = (begunMs - byMs) / 1000;
        await utimes(join(uploadsFolder, id, "key"), time, time);
      }
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => endpoint.close(resolve));
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  return server;

  function refuse(request: IncomingMessage, response: ServerResponse): void {
    request.resume();
    response
      .writeHead(403, { "content-type": "application/xml" })
      .end("<Error><Code>SignatureDoesNotMatch</Code></Error>");
  }

  async function pending(): Promise<
    { readonly id: string; readonly key: string; readonly begunMs: number }[]
  > {
    const ids = await readdir(uploadsFolder).catch(() => []);
    const found = await Promise.all(
      ids.map(async (id) => {
        const file = join(uploadsFolder, id, "key");
        // It may end while it is looked at.
        const [key, about] = await Promise.all([readFile(file, "utf8"), stat(file)]).catch(
          () => [],
        );
        return key === undefined || about === undefined
          ? []
          : [{ id, key, begunMs: about.mtimeMs }];
      }),
    );
    return found.flat().toSorted((a, b) => (`${a.key} ${a.id}` < `${b.key} ${b.id}` ? -1 : 1));
  }

  async function abortUpload(id: string, response: ServerResponse): Promise<void> {
    const known = (await pending()).some((upload) => upload.id === id);
    if (!known) return void response.writeHead(404).end("<Error><Code>NoSuchUpload</Code></Error>");
    await rm(join(uploadsFolder, id), { recursive: true, force: true, maxRetries: 5 });
    response.writeHead(204).end();
  }

  async function listUploads(query: URLSearchParams, response: ServerResponse): Promise<void> {
    const prefix = query.get("prefix") ?? "";
    const after = query.has("key-marker")
      ? `${query.get("key-marker")} ${query.get("upload-id-marker")}`
      : "";
    const rest = (await pending()).filter(
      ({ key, id }) => key.startsWith(prefix) && `${key} ${id}` > after,
    );
    const page = rest.slice(0, server.uploadsPerPage);
    const last = page.at(-1);
    const next = `<NextKeyMarker>${last?.key}</NextKeyMarker><NextUploadIdMarker>${last?.id}</NextUploadIdMarker>`;
    const uploads = page.map(
      ({ key, id, begunMs }) =>
        `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${new Date(begunMs).toISOString()}</Initiated></Upload>`,
    );
    const truncated = rest.length > page.length;
    response
      .writeHead(200, { "content-type": "application/xml" })
      .end(
        `<ListMultipartUploadsResult><IsTruncated>${truncated}</IsTruncated>${truncated ? next : ""}${uploads.join("")}</ListMultipartUploadsResult>`,
      );
  }
}

if (import.meta.main) {
  // For measuring a process without its server: runs until it is ended, and prints its address.
  const server = await startS3Server();
  console.log(server.url());
  process.once("SIGTERM", () => void server[Symbol.asyncDispose]());
}
