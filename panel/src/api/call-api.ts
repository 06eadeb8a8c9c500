/** One call of the panel's API: JSON in, JSON out, every refusal an ApiError. */
import { readRefusal, unreachable } from "./api-error.ts";

const API_ROOT = "/panel/api";

/** Strings of the query; what is undefined or empty is left out. */
export type Query = Readonly<Record<string, string | number | undefined>>;

export interface CallOptions {
  readonly query?: Query | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** `apiUrl("/requests.csv", { from })`: for links and downloads. */
export function apiUrl(path: string, query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const search = new URLSearchParams(
    given.map(([name, value]) => [name, String(value)]),
  ).toString();
  return `${API_ROOT}${path}${search === "" ? "" : `?${search}`}`;
}

/** @param path below /panel/api, as `/keys`. */
export function readApi<Answer>(
  path: string,
  options: Omit<CallOptions, "body"> = {},
): Promise<Answer> {
  return callApi("GET", path, options);
}

export function postApi<Answer>(path: string, body: unknown = {}): Promise<Answer> {
  return callApi("POST", path, { body });
}

export function deleteApi<Answer>(path: string): Promise<Answer> {
  return callApi("DELETE", path, {});
}

async function callApi<Answer>(
  method: string,
  path: string,
  { query, body, signal }: CallOptions,
): Promise<Answer> {
  const response = await sendApi(path, {
    method,
    query,
    headers: body === undefined ? {} : { "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  return (await response.json()) as Answer;
}

/**
 * The answer itself, for streams, uploads and downloads. Throws an ApiError where it is a refusal.
 */
export async function sendApi(
  path: string,
  { query, ...init }: RequestInit & { readonly query?: Query | undefined },
): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(apiUrl(path, query), { credentials: "same-origin", ...init });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw unreachable();
  }
  if (!response.ok)
    throw readRefusal(
      response.status,
      await response.json().catch(() => null),
      response.headers.get("x-request-id"),
    );
  return response;
}
