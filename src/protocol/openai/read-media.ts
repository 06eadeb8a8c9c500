/** Reads the pictures and files of a chat request: data URLs, addresses, and files as base64. */
import { isUtf8 } from "node:buffer";
import type { DocumentPart, MediaSource } from "../neutral/neutral-request.ts";
import { refuseField } from "./refuse-field.ts";

type Base64Source = Extract<MediaSource, { kind: "base64" }>;

/** A data URL says what it is long before this. */
const HEAD_CHARACTERS = 256;
const DATA_URL_HEAD = /^data:([a-z]+\/[a-z0-9.+-]+)((?:;[^;,]*)*),/i;
const NOT_BASE64 = /[^A-Za-z0-9+/=]/;
/** `%PDF-` in base64: a file may come without a data URL around it. */
const PDF_START = "JVBERi";

function refuseUrl(param: string): Error {
  return refuseField(param, "must be an http(s) URL or a data URL such as data:image/png;base64,…");
}

/** RFC 2397, base64 only. */
function readDataUrl(url: string, param: string): Base64Source {
  const head = DATA_URL_HEAD.exec(url.slice(0, HEAD_CHARACTERS));
  const [whole, type, parameters] = head ?? [];
  if (whole === undefined || type === undefined) throw refuseUrl(param);
  const data = url.slice(whole.length);
  if (!/;base64$/i.test(parameters ?? "") || data === "" || NOT_BASE64.test(data)) {
    throw refuseField(param, "is a data URL that does not hold base64: send data:TYPE;base64,DATA");
  }
  const mediaType = type.toLowerCase();
  // No such type is registered, but many clients say it, and upstreams refuse it.
  return { kind: "base64", mediaType: mediaType === "image/jpg" ? "image/jpeg" : mediaType, data };
}

export function readImageUrl(url: string, param: string): MediaSource {
  if (/^https?:\/\/./i.test(url)) return { kind: "url", url };
  if (!/^data:/i.test(url)) throw refuseUrl(param);
  const source = readDataUrl(url, param);
  if (!source.mediaType.startsWith("image/"))
    throw refuseField(param, `must be an image, not ${source.mediaType}`);
  return source;
}

function decodeText(data: string, param: string): string {
  const bytes = Buffer.from(data, "base64");
  if (!isUtf8(bytes)) throw refuseField(param, "must hold text in UTF-8");
  return bytes.toString("utf8");
}

/** `file_data` of a file part: a PDF or a text as a data URL, or a PDF as bare base64. */
export function readFileData(fileData: string, param: string): DocumentPart["source"] {
  if (fileData.startsWith(PDF_START) && !NOT_BASE64.test(fileData)) {
    return { kind: "base64", mediaType: "application/pdf", data: fileData };
  }
  if (!/^data:/i.test(fileData))
    throw refuseField(param, "must be a data URL of a PDF or a text, in base64, for this model");
  const source = readDataUrl(fileData, param);
  if (source.mediaType === "application/pdf") return source;
  if (!source.mediaType.startsWith("text/"))
    throw refuseField(param, `must be a PDF or a text for this model, not ${source.mediaType}`);
  return { kind: "text", text: decodeText(source.data, param) };
}
