/** What a line of the panel's table of routes says: what is sent to one path, and what it answers. */
import Type, { type TObject, type TSchema } from "typebox";

/**
 * By `"METHOD /path"`, the path below `/panel/api`. `{id}` is one part of it, escaped; `{+model}`
 * is all the rest, slashes included (as in RFC 6570).
 */
export type PanelRouteTable = Readonly<
  Record<`${"GET" | "POST" | "DELETE"} /${string}`, JsonLine | ContentLine>
>;

interface Line {
  /** A line of English for the API's description. */
  readonly summary: string;
  readonly query?: TObject;
  /** JSON, held against this before the route sees it. */
  readonly body?: TSchema;
  /** What the route reads by itself, and in which media type where that is not JSON. */
  readonly rawBody?: { readonly schema: TSchema; readonly type?: "multipart/form-data" };
  /** Parts of the path that are UUIDs: anything else in their place is no such path. */
  readonly uuids?: readonly string[];
  /** What has to come, or may, beside them. */
  readonly headers?: Readonly<
    Record<
      string,
      { readonly description: string; readonly example: string; readonly required?: true }
    >
  >;
}

interface JsonLine extends Line {
  readonly answer: TSchema;
  /** Absent: 200. */
  readonly status?: 201 | 202;
  /** What may come instead of JSON, by its media type. */
  readonly streamed?: "text/event-stream";
}

/** Answers with something else than JSON. */
interface ContentLine extends Line {
  readonly content: "text/csv" | "text/event-stream" | "audio/mpeg";
}

/** It was done, or was heard: there is nothing to say. */
export const Done = Type.Object({});
