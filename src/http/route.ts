/**
 * What a route is: where it answers, whom it lets in, what it takes, what it says of itself in
 * OpenAPI, and the function that answers.
 */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import type { Static, TObject, TSchema } from "typebox";
import type { MemberCaller } from "../accounts/member-caller.ts";
import type { Fault } from "../kernel/faults.ts";
import type { Uuid } from "../kernel/ids.ts";
import type { KeyRecord } from "../keys/key-record.ts";
import type { ErrorFamily } from "./error-family.ts";

export interface RouteCall<Query> {
  readonly requestId: Uuid;
  /** As it was sent: a route for GET is called for HEAD too. */
  readonly method: string;
  /** Decoded parts of the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  /**
   * What the schema accepted; a Buffer, or an IncomingBody, where the route reads its body itself;
   * null where it takes none.
   */
  readonly body: unknown;
  readonly headers: IncomingHttpHeaders;
  /** The path with its query, as it was matched. */
  readonly target: string;
  /**
   * Who is asking, for limits and allowed addresses: see client-address.ts. Empty when the
   * connection is already gone.
   */
  readonly clientAddress: string;
  /** Who holds the connection, a proxy where there is one. Empty when it is already gone. */
  readonly peerAddress: string;
  /** Aborts when the caller goes away before its answer is out: for handlers that wait. */
  departure(): AbortSignal;
  /**
   * Counts at the route's gate as long as `work` is under way, for a route that `waits`; throws the
   * fault where there is no room for it.
   */
  withinGate<T>(work: () => Promise<T>): Promise<T>;
}

export interface KeyCall<Query> extends RouteCall<Query> {
  readonly key: KeyRecord;
}

export interface MemberCall<Query> extends RouteCall<Query> {
  readonly member: MemberCaller;
}

export interface Answer {
  readonly status?: number;
  /** A list is as many lines: cookies. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly content: AnswerContent;
}

/**
 * `json` is serialized; `bytes` go out as they are, under their own content type; a `fault` is
 * written in the form of the route's family, with its own status, for refusals that need headers of
 * their own; `nothing` is for what has no body (302, 304); `live` is an answer that goes on until
 * there is nothing more to tell.
 */
export type AnswerContent =
  | { readonly json: unknown }
  | { readonly contentType: string; readonly bytes: string | Buffer }
  | { readonly fault: Fault }
  | { readonly nothing: true }
  | StreamedContent
  | LiveContent;

/** Goes out as it comes, no faster than it is read. */
export interface StreamedContent {
  readonly contentType: string;
  /**
   * Exactly so many come; an answer that falls short is broken off. Null: unknown before the end.
   */
  readonly sizeBytes: number | null;
  /**
   * Called only when the bytes are wanted, so not for HEAD; what it throws is still answered as a
   * fault.
   */
  open(): Promise<Readable>;
}

/**
 * Server-sent events, one text for each, written as they happen and no faster than they are read.
 */
export interface LiveContent {
  /**
   * Called once, and not for HEAD. The signal aborts when the reader has left. Ends the answer by
   * ending.
   */
  live(signal: AbortSignal): AsyncIterable<string>;
  /** Silence after which a comment is sent. */
  readonly keepAliveMs: number;
}

/** A body that its route reads by itself, as it comes. */
export interface IncomingBody {
  readonly request: IncomingMessage;
  /**
   * To be called before it is read: tells a sender that asked to begin (`Expect: 100-continue`),
   * and lets it take longer than others may.
   */
  begin(): void;
  /** Aborts when the sender goes away before its answer is out. */
  readonly signal: AbortSignal;
}

export interface RouteResponse {
  readonly description: string;
  /** Media type and schema of the body; several where the caller's headers choose. */
  readonly content: Readonly<Record<string, TSchema>>;
}

/** By name, in lower case. */
export type HeaderDescriptions = Readonly<
  Record<string, { readonly description: string; readonly example: string }>
>;

export interface RouteDescription {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  /**
   * The path as it is described, where OpenAPI needs another: what one template matches is one path
   * there, whatever its parts are called.
   */
  readonly path?: string;
  readonly tag:
    | "Chat"
    | "Calls"
    | "Images"
    | "Tasks"
    | "Models"
    | "Account"
    | "Storage"
    | "Batches"
    | "Service"
    | "Panel";
  /**
   * Of no interest to a reader of the API: part of another route (a page's script), or not there
   * yet.
   */
  readonly internal?: true;
  readonly pathParameters?: Readonly<
    Record<string, { readonly description: string; readonly example: string }>
  >;
  /** What a caller may send. */
  readonly headers?: HeaderDescriptions;
  /** What the answers of the listed responses may carry, beyond the request's id. */
  readonly responseHeaders?: HeaderDescriptions;
  /**
   * The body's schema: what is validated is what is described, unless the route reads its body
   * itself.
   */
  readonly requestBody?: TSchema;
  /** Its media type, where that is not JSON. */
  readonly requestType?: string;
  /** Bodies that work as they stand, by a name of their own. */
  readonly requestExamples?: Readonly<
    Record<string, { readonly summary: string; readonly value: unknown }>
  >;
  readonly responses: Readonly<Record<number, RouteResponse>>;
  /** Statuses of the path's error family that this route can answer, beyond 404, 405 and 500. */
  readonly errors: readonly number[];
}

interface RouteHead {
  readonly method: "GET" | "POST" | "DELETE";
  /**
   * As OpenAPI writes it, `/v1/requests/{id}`; a last `{id}` takes the rest of the path when
   * `catchAll` is set.
   */
  readonly path: string;
  readonly catchAll?: boolean;
  /**
   * Of what a catch-all takes, the folder that it leaves alone: nothing is there but what other
   * routes have.
   */
  readonly except?: string;
  /**
   * Names of path parameters that are UUIDs: a path with anything else in their place is not this
   * route's.
   */
  readonly uuids?: readonly string[];
  /**
   * Its answer may wait for what others do: beyond its caller's access nothing counts at its gate
   * but what it counts itself.
   */
  readonly waits?: true;
  /** In whose form its errors are, where that is not that of the path. */
  readonly family?: ErrorFamily;
  /** On every answer of the route, its refusals too. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * On the answer to OPTIONS besides: what a browser asks before it sends a page's request to
   * another origin.
   */
  readonly preflight?: Readonly<Record<string, string>>;
  readonly doc: RouteDescription;
}

/** Answers only to a valid key, which is read from the database at every request. */
export interface KeyRoute extends RouteHead {
  readonly access: "key";
  readonly query?: TObject;
  /**
   * Hands the body over as it came, up to this size, and leaves its reading to the handler: for
   * bodies that a protocol understands.
   */
  readonly bodyLimitBytes?: number;
  /**
   * Hands the body over before it has come. `checkHead` throws what can be said of it by its
   * headers alone, after the key was found good.
   */
  readonly streamed?: { checkHead(headers: IncomingHttpHeaders): void };
  handle(call: KeyCall<unknown>): Promise<Answer> | Answer;
}

/** Answers to everybody. */
export interface OpenRoute extends RouteHead {
  readonly access: "open";
  readonly query?: TObject;
  /** Hands the body over before it has come. */
  readonly incoming?: true;
  /** Pages of other origins may not send it, GET excepted: for what leads to a session. */
  readonly sameOrigin?: true;
  handle(call: RouteCall<unknown>): Promise<Answer> | Answer;
}

/**
 * Answers only to a session whose member the route admits. What is not GET is refused to pages of
 * other origins.
 */
export interface MemberRoute extends RouteHead {
  readonly access: "member";
  readonly query?: TObject;
  /** As with a KeyRoute. */
  readonly bodyLimitBytes?: number;
  /** As with a KeyRoute. */
  readonly streamed?: { checkHead(headers: IncomingHttpHeaders): void };
  /**
   * Throws the fault that refuses this member. Asked before anything else of the request is looked
   * at.
   */
  admit(member: MemberCaller): void;
  handle(call: MemberCall<unknown>): Promise<Answer> | Answer;
}

/**
 * Served outside the router, on the raw request; described here so that OpenAPI and the answers to
 * other methods know it.
 */
export interface RawRoute extends RouteHead {
  readonly access: "raw";
}

export type Route = KeyRoute | OpenRoute | MemberRoute | RawRoute;

/**
 * Types a handler's query by its schema: the router calls it only with a query that the schema
 * accepted.
 */
export function keyRoute<Query extends TObject>(
  route: Omit<KeyRoute, "access" | "handle" | "query"> & {
    query: Query;
    handle(call: KeyCall<Static<Query>>): Promise<Answer> | Answer;
  },
): KeyRoute {
  return {
    ...route,
    access: "key",
    handle: (call) => route.handle(call as KeyCall<Static<Query>>),
  };
}

/** A route whose handler reads the body by itself: the router calls it only with a Buffer. */
export function bytesRoute(
  route: Omit<KeyRoute, "access" | "handle" | "query"> & {
    readonly bodyLimitBytes: number;
    handle(call: KeyCall<unknown> & { readonly body: Buffer }): Promise<Answer> | Answer;
  },
): KeyRoute {
  return {
    ...route,
    access: "key",
    handle: (call) => route.handle(call as KeyCall<unknown> & { readonly body: Buffer }),
  };
}

/** A route for everybody whose handler reads the body as it comes. */
export function openIncomingRoute(
  route: Omit<OpenRoute, "access" | "handle" | "query" | "incoming"> & {
    handle(call: RouteCall<unknown> & { readonly body: IncomingBody }): Promise<Answer>;
  },
): OpenRoute {
  return {
    ...route,
    access: "open",
    incoming: true,
    handle: (call) => route.handle(call as RouteCall<unknown> & { readonly body: IncomingBody }),
  };
}

/**
 * A route whose handler reads the body as it comes: the router calls it with the first byte still
 * unread.
 */
export function streamedRoute(
  route: Omit<KeyRoute, "access" | "handle" | "query"> & {
    readonly streamed: { checkHead(headers: IncomingHttpHeaders): void };
    handle(call: KeyCall<unknown> & { readonly body: IncomingBody }): Promise<Answer>;
  },
): KeyRoute {
  return {
    ...route,
    access: "key",
    handle: (call) => route.handle(call as KeyCall<unknown> & { readonly body: IncomingBody }),
  };
}
