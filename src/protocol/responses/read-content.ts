/** Reads the content of an item of a Responses request: a text, or a list of parts. */
import { isRecord } from "../json/is-record.ts";
import type { AssistantPart, TextPart, UserPart } from "../neutral/neutral-request.ts";
import { readFileData, readImageUrl } from "../openai/read-media.ts";
import { readCacheMark } from "../openai/read-parts.ts";
import { isPresent, refuseField } from "../openai/refuse-field.ts";

type Fields = Record<string, unknown>;
type PartReader<Part> = (part: Fields, param: string) => Part | null;

/** The names of a text, by who says it. */
const TEXTS: ReadonlySet<unknown> = new Set(["input_text", "output_text", "text"]);

function readText(part: Fields, param: string): TextPart | null {
  const { text } = part;
  if (typeof text !== "string") throw refuseField(`${param}.text`, "must be a string");
  return text === "" ? null : { kind: "text", text, cache: readCacheMark(part) };
}

function refuseFileId(part: Fields, param: string, instead: string): void {
  if (isPresent(part["file_id"]))
    throw refuseField(`${param}.file_id`, `cannot be sent to this model: send ${instead}`);
}

function readImage(part: Fields, param: string): UserPart {
  refuseFileId(part, param, "the image itself in 'image_url'");
  const image = part["image_url"];
  const url = isRecord(image) ? image["url"] : image;
  if (typeof url !== "string") throw refuseField(`${param}.image_url`, "must be a string");
  const { detail } = part;
  return {
    kind: "image",
    source: readImageUrl(url, `${param}.image_url`),
    detail: typeof detail === "string" ? detail : null,
    cache: readCacheMark(part),
  };
}

function readFile(part: Fields, param: string): UserPart {
  refuseFileId(part, param, "the file itself in 'file_data'");
  const { file_data: data, file_url: url, filename } = part;
  const name = typeof filename === "string" && filename !== "" ? filename : null;
  const cache = readCacheMark(part);
  if (typeof data === "string")
    return { kind: "document", source: readFileData(data, `${param}.file_data`), name, cache };
  if (typeof url !== "string" || !/^https?:\/\/./i.test(url))
    throw refuseField(param, "must have the file in 'file_data', or its http(s) URL in 'file_url'");
  return { kind: "document", source: { kind: "url", url }, name, cache };
}

const readUserPart: PartReader<UserPart> = (part, param) => {
  const { type } = part;
  if (TEXTS.has(type)) return readText(part, param);
  switch (type) {
    case "input_image":
      return readImage(part, param);
    case "input_file":
      return readFile(part, param);
    case "input_audio":
      throw refuseField(param, "is audio, which cannot be sent to this model");
    default:
      throw refuseField(
        param,
        "must be of type input_text, input_image or input_file for this model",
      );
  }
};

const readTextPart: PartReader<TextPart> = (part, param) => {
  if (TEXTS.has(part["type"])) return readText(part, param);
  throw refuseField(param, "must be a text: parts of another type are not taken here");
};

const readAssistantPart: PartReader<AssistantPart> = (part, param) => {
  if (part["type"] !== "refusal") return readTextPart(part, param);
  const { refusal } = part;
  if (typeof refusal !== "string") throw refuseField(`${param}.refusal`, "must be a string");
  return refusal === "" ? null : { kind: "refusal", text: refusal };
};

/** Null and empty texts say nothing and give no part. `param` is of the content itself. */
function readParts<Part>(
  content: unknown,
  param: string,
  readPart: PartReader<Part | TextPart>,
): (Part | TextPart)[] {
  if (!isPresent(content)) return [];
  if (typeof content === "string")
    return content === "" ? [] : [{ kind: "text", text: content, cache: null }];
  if (!Array.isArray(content)) throw refuseField(param, "must be a string or an array");
  return content.flatMap((part: unknown, index) => {
    if (!isRecord(part)) throw refuseField(`${param}[${index}]`, "must be an object");
    return readPart(part, `${param}[${index}]`) ?? [];
  });
}

/** Of a user, or of a tool. */
export function readUserContent(content: unknown, param: string): UserPart[] {
  return readParts<UserPart>(content, param, readUserPart);
}

export function readInstructions(content: unknown, param: string): TextPart[] {
  return readParts<TextPart>(content, param, readTextPart);
}

export function readAssistantContent(content: unknown, param: string): AssistantPart[] {
  return readParts<AssistantPart>(content, param, readAssistantPart);
}
