/**
 * Sends one request to the panel's API. It knows nothing of the table of routes: call-api.ts does,
 * and nothing outside of this folder calls anything else.
 */
import type { PanelApiRoot } from "../../../src/contract/panel/routes/panel-api.ts";
import { readRefusal, unreachable } from "./api-error.ts";

const API_ROOT: PanelApiRoot = "/panel/api";

/** A call whose types were checked where it is made. */
interface Call {
  readonly params?: Readonly<Record<string, string>>;
  /** What is undefined or empty is left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; a form as it is. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** @param call a Call. `{+model}` in the path keeps the slashes of what it stands for. */
export function urlOf(path: string, call: object = {}): string {
  const { params = {}, query = {} }: Call = call;
  const filled = path.replaceAll(/\{(\+?)(\w+)\}/g, (_, all: string, name: string) => {
    const escaped = encodeURIComponent(params[name] ?? "");
    return all === "" ? escaped : escaped.replaceAll("%2F", "/");
  });
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const search = new URLSearchParams(
    given.map(([name, value]) => [name, String(value)]),
  ).toString();
  return `${API_ROOT}${filled}${search === "" ? "" : `?${search}`}`;
}

/** @param call a Call. Throws an ApiError where the answer is a refusal. */
export async function sendApi(method: string, path: string, call: object = {}): Promise<Response> {
  const { headers = {}, body, signal }: Call = call;
  let response: Response;
  try {
    response = await fetch(urlOf(path, call), {
      method,
      credentials: "same-origin",
      ...written(body, headers),
      ...(signal === undefined ? {} : { signal }),
    });
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

/** The browser names the type of a form itself, with what stands between its parts. */
function written(body: unknown, headers: Readonly<Record<string, string>>): RequestInit {
  if (body === undefined) return { headers };
  if (body instanceof FormData) return { headers, body };
  return {
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  };
}

/** @param call a Call. */
export async function callApi<Answer>(
  method: string,
  path: string,
  call: object = {},
): Promise<Answer> {
  const response = await sendApi(method, path, call);
  return (await response.json()) as Answer;
}
