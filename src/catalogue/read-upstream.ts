/**
 * Reads one upstream: where it is, what it speaks, which credentials it takes, and how long we wait
 * for it.
 */
import type { CatalogueMistake } from "../contract/catalogue/catalogue-mistake.ts";
import { mistakeAt } from "../contract/catalogue/mistake-at.ts";
import { isChatProtocol, UPSTREAM_PROTOCOLS } from "../contract/enums/upstream-protocol.ts";
import type { TaskProvider } from "../protocol/task-provider.ts";
import type { Decimal } from "../contract/price/decimal.ts";
import { DISCONNECT_POLICIES, type UpstreamConfig } from "./catalogue.ts";
import type { Environment } from "./interpolate.ts";
import { isEnvironmentName } from "./interpolate.ts";
import { readFactor } from "./read-amount.ts";
import { readHttpTask } from "./read-http-task.ts";
import type { Place, YamlReader } from "./yaml-reader.ts";
import { shown } from "./yaml-reader.ts";

const UPSTREAM_FIELDS = [
  "protocol",
  "baseUrl",
  "apiKeyEnv",
  "timeoutsMs",
  "maxConcurrent",
  "onDisconnect",
  "resultHosts",
  "submitRate",
  "maxRunning",
  "toldCost",
  "task",
] as const;
const DEFAULT_TIMEOUTS_MS: UpstreamConfig["timeoutsMs"] = {
  connect: 5_000,
  firstByte: 60_000,
  idle: 60_000,
};
const LONGEST_TIMEOUT_MS = 3_600_000;
const DEFAULT_CONCURRENT = 200;
export const MOST_CONCURRENT = 100_000;
/** Each of them is remembered for the whole time. */
const MOST_SUBMISSIONS = 1_000;
const LONGEST_RATE_SECONDS = 3_600;

export interface UpstreamSubject {
  readonly name: string;
  readonly env: Environment;
  /** Collects what is not a mistake but should be known. */
  readonly warnings: CatalogueMistake[];
}

/** `reader` replaces `${NAME}`. */
export function readUpstream(
  reader: YamlReader,
  at: Place,
  subject: UpstreamSubject,
): UpstreamConfig | undefined {
  const fields = reader.fields(at, UPSTREAM_FIELDS);
  if (fields === undefined) return undefined;
  const protocolPlace = reader.required(at, fields, "protocol");
  const baseUrlPlace = reader.required(at, fields, "baseUrl");
  const apiKeyPlace = reader.required(at, fields, "apiKeyEnv");
  const protocol = protocolPlace && reader.oneOf(protocolPlace, UPSTREAM_PROTOCOLS);
  const baseUrl = baseUrlPlace && readBaseUrl(reader, baseUrlPlace);
  const apiKeyEnv = apiKeyPlace && readCredentialNames(reader, apiKeyPlace, subject);
  const timeoutsMs =
    fields.timeoutsMs === undefined ? DEFAULT_TIMEOUTS_MS : readTimeouts(reader, fields.timeoutsMs);
  const maxConcurrent =
    fields.maxConcurrent === undefined
      ? DEFAULT_CONCURRENT
      : reader.wholeNumber(fields.maxConcurrent, 1, MOST_CONCURRENT);
  const onDisconnect =
    fields.onDisconnect === undefined
      ? "abort"
      : reader.oneOf(fields.onDisconnect, DISCONNECT_POLICIES);
  const resultHosts = fields.resultHosts === undefined ? [] : readHosts(reader, fields.resultHosts);
  const submitRate = protocol === undefined ? undefined : readSubmitRate(reader, fields, protocol);
  const maxRunning = protocol === undefined ? undefined : readMaxRunning(reader, fields, protocol);
  const toldCost = protocol === undefined ? undefined : readToldCost(reader, fields, protocol);
  const task = protocol === undefined ? undefined : readTask(reader, at, fields, protocol);
  if (
    protocol === undefined ||
    baseUrl === undefined ||
    apiKeyEnv === undefined ||
    timeoutsMs === undefined
  )
    return undefined;
  if (maxConcurrent === undefined || onDisconnect === undefined || resultHosts === undefined)
    return undefined;
  if (
    submitRate === undefined ||
    maxRunning === undefined ||
    toldCost === undefined ||
    task === undefined
  )
    return undefined;
  const upstream = {
    name: subject.name,
    protocol,
    baseUrl,
    apiKeyEnv,
    timeoutsMs,
    maxConcurrent,
    onDisconnect,
    resultHosts,
  };
  const ofTasks = {
    ...(submitRate === null ? {} : { submitRate }),
    ...(maxRunning === null ? {} : { maxRunning }),
  };
  return {
    ...upstream,
    ...ofTasks,
    ...(toldCost === null ? {} : { toldCost }),
    ...(task === null ? {} : { task }),
  };
}

/** Null: what its answers say is not believed. */
function readToldCost(
  reader: YamlReader,
  { toldCost: at }: { readonly toldCost?: Place },
  protocol: UpstreamConfig["protocol"],
): Decimal | null | undefined {
  if (at === undefined) return null;
  if (isChatProtocol(protocol)) return readFactor(reader, at);
  reader.note(at, "serves_no_chat", { protocol });
  return undefined;
}

/** Null: there is none. */
function readSubmitRate(
  reader: YamlReader,
  { submitRate: at }: { readonly submitRate?: Place },
  protocol: UpstreamConfig["protocol"],
): Required<UpstreamConfig>["submitRate"] | null | undefined {
  if (at === undefined) return null;
  if (isChatProtocol(protocol)) {
    reader.note(at, "submit_rate_without_tasks", { protocol });
    return undefined;
  }
  const fields = reader.fields(at, ["count", "seconds"]);
  if (fields === undefined) return undefined;
  const countPlace = reader.required(at, fields, "count");
  const secondsPlace = reader.required(at, fields, "seconds");
  const count = countPlace && reader.wholeNumber(countPlace, 1, MOST_SUBMISSIONS);
  const seconds = secondsPlace && reader.wholeNumber(secondsPlace, 1, LONGEST_RATE_SECONDS);
  return count === undefined || seconds === undefined ? undefined : { count, seconds };
}

/** Null: there is none. */
function readMaxRunning(
  reader: YamlReader,
  { maxRunning: at }: { readonly maxRunning?: Place },
  protocol: UpstreamConfig["protocol"],
): number | null | undefined {
  if (at === undefined) return null;
  if (isChatProtocol(protocol)) {
    reader.note(at, "max_running_without_tasks", { protocol });
    return undefined;
  }
  return reader.wholeNumber(at, 1, MOST_CONCURRENT);
}

/** Null: the protocol says by itself how the API is called. */
function readTask(
  reader: YamlReader,
  at: Place,
  fields: { readonly task?: Place },
  protocol: UpstreamConfig["protocol"],
): TaskProvider | null | undefined {
  if (protocol === "http-task") {
    const place = reader.required(at, fields, "task");
    return place && readHttpTask(reader, place);
  }
  if (fields.task === undefined) return null;
  reader.note(fields.task, "described_by_protocol", { protocol });
  return undefined;
}

/** Mistakes repeat what the file says, never the value of a variable: it may be a secret. */
function readBaseUrl(reader: YamlReader, at: Place): string | undefined {
  const text = reader.text(at);
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    reader.note(at, "expected", { what: "address", got: shown(at) });
  } else if (url.username !== "" || url.password !== "") {
    reader.note(at, "address_with_password");
  } else if (url.hash !== "") {
    reader.note(at, "address_with_fragment");
  } else {
    return `${url.origin}${url.pathname.replace(/\/+$/, "")}${url.search}`;
  }
  return undefined;
}

function readCredentialNames(
  reader: YamlReader,
  at: Place,
  subject: UpstreamSubject,
): string[] | undefined {
  const places = reader.isList(at) ? reader.items(at) : [at];
  if (places === undefined) return undefined;
  if (places.length === 0) reader.note(at, "none_given", { what: "credential" });
  const names: string[] = [];
  for (const place of places) {
    const name = reader.text(place);
    if (name === undefined) continue;
    if (!isEnvironmentName(name)) {
      // Not repeated: an operator who writes the credential itself here must not find it in a log.
      reader.note(place, "not_a_variable_name");
    } else if (names.includes(name)) {
      reader.note(place, "variable_twice", { variable: name });
    } else {
      names.push(name);
      if ((subject.env[name] ?? "").trim() === "") {
        subject.warnings.push(mistakeAt(place, "credential_not_set", { variable: name }));
      }
    }
  }
  return names.length === places.length && names.length > 0 ? names : undefined;
}

function readTimeouts(reader: YamlReader, at: Place): UpstreamConfig["timeoutsMs"] | undefined {
  const fields = reader.fields(at, ["connect", "firstByte", "idle"]);
  if (fields === undefined) return undefined;
  const read = (place: Place | undefined, fallback: number): number | undefined =>
    place === undefined ? fallback : reader.wholeNumber(place, 1, LONGEST_TIMEOUT_MS);
  const connect = read(fields.connect, DEFAULT_TIMEOUTS_MS.connect);
  const firstByte = read(fields.firstByte, DEFAULT_TIMEOUTS_MS.firstByte);
  const idle = read(fields.idle, DEFAULT_TIMEOUTS_MS.idle);
  return connect === undefined || firstByte === undefined || idle === undefined
    ? undefined
    : { connect, firstByte, idle };
}

/**
 * An address without a path names its host too, so that a variable that holds an address can be
 * used.
 */
function readHost(text: string): string | null {
  const [, scheme, host = ""] = /^(https?:\/\/)?([^/?#@\\\s]+)\/?$/i.exec(text) ?? [];
  const url = URL.parse(`${scheme ?? "http://"}${host}`);
  if (url === null) return null;
  return scheme === undefined ? host.toLowerCase() : url.host;
}

function readHosts(reader: YamlReader, at: Place): string[] | undefined {
  const places = reader.items(at);
  if (places === undefined) return undefined;
  const hosts: string[] = [];
  for (const place of places) {
    const text = reader.text(place);
    if (text === undefined) continue;
    const host = readHost(text);
    if (host === null) reader.note(place, "expected", { what: "host", got: shown(place) });
    else hosts.push(host);
  }
  return hosts.length === places.length ? hosts : undefined;
}
