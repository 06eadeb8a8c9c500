/**
 * The documentation viewer's script, taken out of its package on the first visit, so that a process
 * without visits does not carry it.
 */
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import Fastify from "fastify";

export interface ViewerScript {
  readonly plain: Buffer;
  readonly gzipped: Buffer;
  /** In quotes, as the header wants it. */
  readonly etag: string;
}

const PREFIX = "/viewer";
const gzipAsync = promisify(gzip);

/** Loads once; a failed load is tried again at the next visit. */
export function createDocsViewer(): () => Promise<ViewerScript> {
  let loading: Promise<ViewerScript> | null = null;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = null;
      throw error;
    });
    return loading;
  };
}

/**
 * The package has its bundle inside a Fastify plugin and nowhere else: an app that never listens is
 * asked for it.
 */
async function load(): Promise<ViewerScript> {
  const { default: plugin } = await import("@scalar/fastify-api-reference");
  const app = Fastify({ logger: false });
  await app.register(plugin, {
    routePrefix: PREFIX,
    configuration: { content: { openapi: "3.1.0", info: { title: "", version: "" }, paths: {} } },
  });
  const response = await app.inject({ url: `${PREFIX}/js/scalar.js` });
  await app.close();
  if (response.statusCode !== 200)
    throw new Error(
      `the docs viewer's script was not found in its package: ${response.statusCode}`,
    );
  const plain = response.rawPayload;
  return {
    plain,
    gzipped: await gzipAsync(plain),
    etag: `"${createHash("sha256").update(plain).digest("base64url").slice(0, 22)}"`,
  };
}
