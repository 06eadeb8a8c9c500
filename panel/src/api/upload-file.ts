/** Sends a file to the account's storage, telling how far it is. */
import type { PanelFile } from "../../../src/contract/panel/panel-file.ts";
import { readRefusal, unreachable } from "./api-error.ts";
import { apiUrl } from "./call-api.ts";

export interface UploadOptions {
  readonly signal: AbortSignal;
  /** From 0 to 1. */
  onProgress(share: number): void;
}

/**
 * By XMLHttpRequest, because `fetch` does not tell of what it sends. Rejects with an ApiError, or
 * with the signal's reason.
 */
export function uploadFile(file: File, { signal, onProgress }: UploadOptions): Promise<PanelFile> {
  const { promise, resolve, reject } = Promise.withResolvers<PanelFile>();
  const request = new XMLHttpRequest();
  const body = new FormData();
  body.set("file", file);
  request.open("POST", apiUrl("POST /playground/files"));
  request.responseType = "json";
  request.upload.addEventListener("progress", ({ loaded, total }) =>
    onProgress(total === 0 ? 0 : loaded / total),
  );
  request.addEventListener("load", () => {
    if (request.status === 201) resolve(request.response as PanelFile);
    else
      reject(
        readRefusal(request.status, request.response, request.getResponseHeader("x-request-id")),
      );
  });
  request.addEventListener("error", () => reject(unreachable()));
  request.addEventListener("abort", () =>
    reject(signal.reason instanceof Error ? signal.reason : unreachable()),
  );
  signal.addEventListener("abort", () => request.abort());
  request.send(body);
  return promise;
}
