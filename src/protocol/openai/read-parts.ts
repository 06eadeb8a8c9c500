/** Reads the content of a message of a chat request: a text, or a list of parts. */
import { isRecord } from "../json/is-record.ts";
import type { CacheMark, TextPart, UserPart } from "../neutral/neutral-request.ts";
import { readFileData, readImageUrl } from "./read-media.ts";
import { isPresent, refuseField } from "./refuse-field.ts";

/**
 * `cache_control` is no field of this protocol, but the common way to ask for a cached prompt
 * through it. Caches that live an hour are dearer, and what is held for a chat request counts on
 * five minutes, so it always means those.
 */
export function readCacheMark(owner: Record<string, unknown>): CacheMark | null {
  return isRecord(owner["cache_control"]) ? { ttl: "5m" } : null;
}

function readText(part: Record<string, unknown>, param: string): TextPart | null {
  const { text } = part;
  if (typeof text !== "string") throw refuseField(`${param}.text`, "must be a string");
  return text === "" ? null : { kind: "text", text, cache: readCacheMark(part) };
}

function readImage(part: Record<string, unknown>, param: string): UserPart {
  const image = part["image_url"];
  const { url, detail } = isRecord(image) ? image : { url: image };
  const urlParam = isRecord(image) ? `${param}.image_url.url` : `${param}.image_url`;
  if (typeof url !== "string") throw refuseField(urlParam, "must be a string");
  return {
    kind: "image",
    source: readImageUrl(url, urlParam),
    detail: typeof detail === "string" ? detail : null,
    cache: readCacheMark(part),
  };
}

function readFile(part: Record<string, unknown>, param: string): UserPart {
  const file = isRecord(part["file"]) ? part["file"] : {};
  if (isPresent(file["file_id"]))
    throw refuseField(
      `${param}.file.file_id`,
      "cannot be sent to this model: send the file itself in 'file_data'",
    );
  const { file_data: data, filename } = file;
  if (typeof data !== "string") throw refuseField(`${param}.file.file_data`, "must be a string");
  return {
    kind: "document",
    source: readFileData(data, `${param}.file.file_data`),
    name: typeof filename === "string" && filename !== "" ? filename : null,
    cache: readCacheMark(part),
  };
}

export type PartReader<Part> = (part: Record<string, unknown>, param: string) => Part | null;

export const readTextPart: PartReader<TextPart> = (part, param) => {
  if (part["type"] === "text") return readText(part, param);
  throw refuseField(
    param,
    "must be a text for this model: parts of another type are not taken here",
  );
};

export const readUserPart: PartReader<UserPart> = (part, param) => {
  switch (part["type"]) {
    case "text":
      return readText(part, param);
    case "image_url":
      return readImage(part, param);
    case "file":
      return readFile(part, param);
    case "input_audio":
      throw refuseField(param, "is audio, which cannot be sent to this model");
    default:
      throw refuseField(param, "must be of type text, image_url or file for this model");
  }
};

/** Null and empty texts say nothing and give no part. `param` is of the content itself. */
export function readParts<Part>(
  content: unknown,
  param: string,
  readPart: PartReader<Part | TextPart>,
): (Part | TextPart)[] {
  if (!isPresent(content)) return [];
  if (typeof content === "string")
    return content === "" ? [] : [{ kind: "text", text: content, cache: null }];
  if (!Array.isArray(content)) throw refuseField(param, "must be a string, an array or null");
  return content.flatMap((part: unknown, index) => {
    if (!isRecord(part)) throw refuseField(`${param}[${index}]`, "must be an object");
    return readPart(part, `${param}[${index}]`) ?? [];
  });
}
