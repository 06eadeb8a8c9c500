/**
 * Builds the request of one call to a provider: its address, the credential in its place, the
 * headers that every call has.
 */
import { sayReason } from "../../contract/sentences/say-reason.ts";
import type { WordedReason } from "../../contract/operator/upstream-reason.ts";
import type { OutgoingRequest } from "../../net/outgoing.ts";
import type { CallAddress, TaskProvider, Template } from "../../protocol/task-provider.ts";
import { partsOf } from "../chat-post.ts";
import { fillPath, fillText, type TemplateValues } from "./fill-template.ts";
import { trustedUrl } from "./follow-url.ts";
import type { TaskTarget } from "./task-adapter.ts";

export interface PlacedCall extends CallAddress {
  readonly query?: Readonly<Record<string, Template>>;
  readonly headers?: Readonly<Record<string, Template>>;
  readonly body?: Buffer;
}

/** A reason: the call cannot be made. */
export function placeCall(
  target: TaskTarget,
  provider: TaskProvider,
  call: PlacedCall,
  values: TemplateValues,
  urls: Readonly<Record<string, string>> = {},
): OutgoingRequest | WordedReason {
  if (!/^[\x21-\x7e]+$/.test(target.credential)) return sayReason("credential_unfit");
  const address = addressOf(target, call, values, urls);
  if (address === null)
    return sayReason("call_without_address", { template: call.path ?? call.url ?? "" });
  const query = new URLSearchParams();
  for (const [name, template] of Object.entries(call.query ?? {})) {
    const value = fillText(template, values);
    if (value !== null) query.set(name, value);
  }
  if (provider.auth.kind === "query") query.set(provider.auth.name, target.credential);
  const { timeoutsMs } = target.upstream;
  return {
    origin: address.origin,
    path: joined(address.path, query.toString()),
    method: call.method,
    headers: headersOf(target, provider, call, values),
    body: call.body ?? null,
    connectTimeoutMs: timeoutsMs.connect,
    firstByteTimeoutMs: timeoutsMs.firstByte,
    idleTimeoutMs: timeoutsMs.idle,
  };
}

/** What shows the credential; empty where it stands in the query. */
export function credentialHeaders(
  target: TaskTarget,
  provider: TaskProvider,
): Readonly<Record<string, string>> {
  return provider.auth.kind === "header"
    ? { [provider.auth.name]: `${provider.auth.prefix}${target.credential}` }
    : {};
}

function headersOf(
  target: TaskTarget,
  provider: TaskProvider,
  call: PlacedCall,
  values: TemplateValues,
): Record<string, string> {
  const own = Object.entries(call.headers ?? {}).flatMap(([name, template]) => {
    const value = fillText(template, values);
    return value === null ? [] : [[name, value] as const];
  });
  return {
    accept: "application/json",
    "accept-encoding": "identity",
    "user-agent": "tollgate",
    ...(call.body === undefined ? {} : { "content-type": "application/json" }),
    ...provider.headers,
    ...Object.fromEntries(own),
    ...credentialHeaders(target, provider),
  };
}

function addressOf(
  target: TaskTarget,
  call: CallAddress,
  values: TemplateValues,
  urls: Readonly<Record<string, string>>,
): { readonly origin: string; readonly path: string } | null {
  // Held against the catalogue each time: the address may have been kept for an hour, and the
  // catalogue is the newer one.
  const known =
    call.url !== null && Object.hasOwn(urls, call.url)
      ? trustedUrl(target.upstream, urls[call.url])
      : null;
  if (known !== null) return { origin: known.origin, path: `${known.pathname}${known.search}` };
  const path = call.path === null ? null : fillPath(call.path, values);
  if (path === null) return null;
  const base = partsOf(target.upstream);
  const own = path.slice(overlapOf(base.path, call.path ?? ""));
  return { origin: base.origin, path: joined(`${base.path}${own}`, base.query.slice(1)) };
}

/** `https://api.example.com/v1` and `https://api.example.com` both work with `/v1/predictions`. */
function overlapOf(base: string, template: Template): number {
  const [written = ""] = template.split("{", 1);
  for (let end = written.indexOf("/", 1); end !== -1; end = written.indexOf("/", end + 1)) {
    if (base.endsWith(written.slice(0, end))) return end;
  }
  return 0;
}

function joined(path: string, query: string): string {
  return query === "" ? path : `${path}${path.includes("?") ? "&" : "?"}${query}`;
}
