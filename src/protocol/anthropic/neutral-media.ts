/**
 * Reads the blocks of a Messages request that hold more than plain text: images, documents, search
 * results.
 */
import type { CacheMark, ImagePart, TextPart, UserPart } from "../neutral/neutral-request.ts";
import { isRecord } from "../json/is-record.ts";
import { expect, fieldPath, optional, refuse, required } from "./body-field.ts";

/** A block of a list of content, and where it stands. */
export interface Block {
  readonly type: string;
  readonly fields: Record<string, unknown>;
  readonly path: string;
}

/** `content` is a list of blocks, or a string, which is short for one block of text. */
export function blocksOf(content: unknown, path: string): Block[] {
  if (typeof content === "string")
    return [{ type: "text", fields: { type: "text", text: content }, path }];
  if (!Array.isArray(content)) return refuse(path, `'${path}' must be a string or an array.`);
  return content.map((value: unknown, index) => {
    const place = `${path}[${index}]`;
    const fields = expect(value, "object", place);
    return { type: required(fields, "type", "string", place), fields, path: place };
  });
}

export function refuseBlock({ type, path }: Block): never {
  return refuse(
    path,
    `'${path}' is a block of type ${JSON.stringify(type)}, which has no equivalent for this model.`,
  );
}

/**
 * What is not understood of a cache mark is dropped: it changes the price of an answer, never the
 * answer.
 */
export function cacheOf({ fields }: Block): CacheMark | null {
  const mark = fields["cache_control"];
  return isRecord(mark) ? { ttl: mark["ttl"] === "1h" ? "1h" : "5m" } : null;
}

/** No part for an empty text: it says nothing, and some upstreams refuse it. */
export function textParts(block: Block): TextPart[] {
  const text = required(block.fields, "text", "string", block.path);
  return text === "" ? [] : [{ kind: "text", text, cache: cacheOf(block) }];
}

function refuseSource(type: string, path: string): never {
  return refuse(
    path,
    `'${path}' is of type ${JSON.stringify(type)}, which has no equivalent for this model. Send the content itself.`,
  );
}

export function imagePart(block: Block): ImagePart {
  const path = fieldPath(block.path, "source");
  const source = required(block.fields, "source", "object", block.path);
  const type = required(source, "type", "string", path);
  const image = { kind: "image", detail: null, cache: cacheOf(block) } as const;
  if (type === "url")
    return { ...image, source: { kind: "url", url: required(source, "url", "string", path) } };
  if (type !== "base64") return refuseSource(type, path);
  const mediaType = required(source, "media_type", "string", path);
  return {
    ...image,
    source: { kind: "base64", mediaType, data: required(source, "data", "string", path) },
  };
}

/** A document made of blocks: its texts as one document each, its images as images. */
function contentParts(content: unknown, path: string, name: string | null): UserPart[] {
  return blocksOf(content, path).flatMap((block): UserPart[] => {
    if (block.type === "image") return [imagePart(block)];
    if (block.type !== "text") return refuseBlock(block);
    return textParts(block).map(({ text, cache }) => ({
      kind: "document",
      source: { kind: "text", text },
      name,
      cache,
    }));
  });
}

/** The document, after the words that its sender wrote about it. */
export function documentParts(block: Block): UserPart[] {
  const path = fieldPath(block.path, "source");
  const source = required(block.fields, "source", "object", block.path);
  const type = required(source, "type", "string", path);
  const name = optional(block.fields, "title", "string", block.path);
  const context = optional(block.fields, "context", "string", block.path) ?? "";
  const about: UserPart[] = context === "" ? [] : [{ kind: "text", text: context, cache: null }];
  if (type === "content")
    return [...about, ...contentParts(source["content"], fieldPath(path, "content"), name)];
  if (type !== "base64" && type !== "text") return refuseSource(type, path);
  const data = required(source, "data", "string", path);
  const mediaType = type === "text" ? "" : required(source, "media_type", "string", path);
  return [
    ...about,
    {
      kind: "document",
      source: type === "text" ? { kind: "text", text: data } : { kind: "base64", mediaType, data },
      name,
      cache: cacheOf(block),
    },
  ];
}

/** A search result as text: its title, where it is from, and what it says. */
export function searchResultPart(block: Block): TextPart {
  const texts = blocksOf(block.fields["content"], fieldPath(block.path, "content")).flatMap(
    (inner) => (inner.type === "text" ? textParts(inner) : refuseBlock(inner)),
  );
  const lines = [
    required(block.fields, "title", "string", block.path),
    required(block.fields, "source", "string", block.path),
    ...texts.map(({ text }) => text),
  ];
  return { kind: "text", text: lines.join("\n"), cache: cacheOf(block) };
}
