/**
 * Images that a JSON body names by their addresses, taken as those are that come in a form: out of
 * our storage, out of the address itself (`data:`), or by the safe fetch.
 */
import { Readable } from "node:stream";
import type { Clock } from "../../kernel/clock.ts";
import { Fault } from "../../kernel/faults.ts";
import { FetchRefusal } from "../../net/fetch-refusal.ts";
import type { SafeFetch } from "../../net/safe-fetch.ts";
import type { FormFileCall, FormFiles } from "./form-files.ts";
import type { ReceivedFile } from "./intake.ts";
import { nameInUrl } from "./name-in-url.ts";
import type { FileReader } from "./open-file.ts";
import { ownName } from "./own-name.ts";

export interface NamedImagesDeps {
  readonly formFiles: Pick<FormFiles, "receive">;
  readonly reader: Pick<FileReader, "openFile" | "readFile">;
  readonly safeFetch: Pick<SafeFetch, "get">;
  readonly clock: Pick<Clock, "monotonicMs">;
  /** Without a slash at its end. */
  staticUrl(): string;
}

export interface NamedImage extends Pick<FormFileCall, "key" | "param" | "limitBytes" | "signal"> {
  readonly url: string;
  /** By then it has come, on the monotonic clock. */
  readonly untilMs: number;
}

/**
 * As `FormFiles.receive`; `invalid_request` also for an address that cannot be used or gives
 * nothing.
 */
export type ReceiveNamedImage = (image: NamedImage) => Promise<ReceivedFile>;

const DATA_URL = /^data:image\/[\w.+-]+;base64,/i;

export function createNamedImages(deps: NamedImagesDeps): ReceiveNamedImage {
  async function open(image: NamedImage): Promise<Pick<FormFileCall, "source" | "fileName">> {
    const { url, limitBytes, signal, untilMs } = image;
    const inIt = DATA_URL.exec(url)?.[0];
    if (inIt !== undefined) {
      const bytes = Buffer.from(url.slice(inIt.length), "base64");
      return { source: Readable.from([bytes], { objectMode: false }), fileName: null };
    }
    const name = ownName(url, deps.staticUrl());
    if (name !== null) return openOwn(image, name);
    const fetched = await deps.safeFetch.get(url, {
      maxBytes: limitBytes,
      deadlineMs: Math.max(1, untilMs - deps.clock.monotonicMs()),
      signal,
    });
    return { source: fetched.body, fileName: nameInUrl(fetched.url) };
  }

  async function openOwn(
    { param }: NamedImage,
    name: string,
  ): Promise<Pick<FormFileCall, "source" | "fileName">> {
    const found = await deps.reader.openFile(name);
    const source = found.state === "stored" ? await deps.reader.readFile(found.file) : null;
    if (found.state !== "stored" || source === null)
      throw new Fault("invalid_request", {
        message: `'${param}': there is no such file, or it is removed by now.`,
        param,
      });
    return { source, fileName: found.file.fileName };
  }

  return async (image) => {
    const { key, param, limitBytes, signal } = image;
    try {
      const opened = await open(image);
      return await deps.formFiles.receive({
        key,
        param,
        limitBytes,
        kinds: ["image"],
        signal,
        ...opened,
      });
    } catch (error) {
      if (error instanceof FetchRefusal)
        throw new Fault("invalid_request", { message: `'${param}': ${error.message}`, param });
      throw error;
    }
  };
}
