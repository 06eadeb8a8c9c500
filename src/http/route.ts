/** What a route is: where it answers, whom it lets in, what it takes, what it says of itself in OpenAPI, and the function that answers. */
import type { IncomingHttpHeaders } from "node:http";
import type { Static, TObject, TSchema } from "typebox";
import type { KeyRecord } from "../keys/key-record.ts";

export interface RouteCall<Query> {
  /** Decoded parts of the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  /** What the schema accepted, or a Buffer where the route reads its body itself; null where it takes none. */
  readonly body: unknown;
  readonly headers: IncomingHttpHeaders;
  /** The path with its query, as it was matched. */
  readonly target: string;
  /** Empty when the connection is already gone. */
  readonly remoteAddress: string;
}

export interface KeyCall<Query> extends RouteCall<Query> {
  readonly key: KeyRecord;
}

/** `json` is serialized; `bytes` go out as they are, under their own content type. */
export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly content: { readonly json: unknown } | { readonly contentType: string; readonly bytes: string | Buffer };
}

export interface RouteResponse {
  readonly description: string;
  /** Media type and schema of the body; several where the caller's headers choose. */
  readonly content: Readonly<Record<string, TSchema>>;
}

/** By name, in lower case. */
export type HeaderDescriptions = Readonly<Record<string, { readonly description: string; readonly example: string }>>;

export interface RouteDescription {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: "Chat" | "Models" | "Account" | "Service";
  /** Of no interest to a reader of the API: part of another route (a page's script), or not there yet. */
  readonly internal?: true;
  readonly pathParameters?: Readonly<Record<string, { readonly description: string; readonly example: string }>>;
  /** What a caller may send. */
  readonly headers?: HeaderDescriptions;
  /** What the answers of the listed responses may carry, beyond the request's id. */
  readonly responseHeaders?: HeaderDescriptions;
  /** The JSON body's schema: what is validated is what is described, unless the route reads its body itself. */
  readonly requestBody?: TSchema;
  readonly responses: Readonly<Record<number, RouteResponse>>;
  /** Statuses of the path's error family that this route can answer, beyond 404, 405 and 500. */
  readonly errors: readonly number[];
}

interface RouteHead {
  readonly method: "GET" | "POST";
  /** As OpenAPI writes it, `/v1/requests/{id}`; a last `{id}` takes the rest of the path when `catchAll` is set. */
  readonly path: string;
  readonly catchAll?: boolean;
  readonly doc: RouteDescription;
}

/** Answers only to a valid key, which is read from the database at every request. */
export interface KeyRoute extends RouteHead {
  readonly access: "key";
  readonly query?: TObject;
  /** Hands the body over as it came, up to this size, and leaves its reading to the handler: for bodies that a protocol understands. */
  readonly bodyLimitBytes?: number;
  handle(call: KeyCall<unknown>): Promise<Answer> | Answer;
}

/** Answers to everybody. */
export interface OpenRoute extends RouteHead {
  readonly access: "open";
  readonly query?: TObject;
  handle(call: RouteCall<unknown>): Promise<Answer> | Answer;
}

/** Served outside the router, on the raw request; described here so that OpenAPI and the answers to other methods know it. */
export interface RawRoute extends RouteHead {
  readonly access: "raw";
}

export type Route = KeyRoute | OpenRoute | RawRoute;

/** Types a handler's query by its schema: the router calls it only with a query that the schema accepted. */
export function keyRoute<Query extends TObject>(
  route: Omit<KeyRoute, "access" | "handle" | "query"> & { query: Query; handle(call: KeyCall<Static<Query>>): Promise<Answer> | Answer },
): KeyRoute {
  return { ...route, access: "key", handle: (call) => route.handle(call as KeyCall<Static<Query>>) };
}

/** A route whose handler reads the body by itself: the router calls it only with a Buffer. */
export function bytesRoute(
  route: Omit<KeyRoute, "access" | "handle" | "query"> & {
    readonly bodyLimitBytes: number;
    handle(call: KeyCall<unknown> & { readonly body: Buffer }): Promise<Answer> | Answer;
  },
): KeyRoute {
  return { ...route, access: "key", handle: (call) => route.handle(call as KeyCall<unknown> & { readonly body: Buffer }) };
}
