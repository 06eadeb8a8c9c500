/**
 * The JSON form of OTLP, as far as all signals share it: 64-bit numbers as text, attributes as pairs
 * (opentelemetry-proto, "JSON Protobuf Encoding").
 */
import { VALUE_LIMIT_CHARACTERS, type OtlpOptions } from "./otlp-collector.ts";

export type OtlpAttributes = Readonly<Record<string, string | number | boolean>>;

interface KeyValue {
  readonly key: string;
  readonly value: object;
}

export function keyValues(attributes: OtlpAttributes): KeyValue[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));
}

function anyValue(value: string | number | boolean): object {
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "string") return stringValue(value);
  if (Number.isSafeInteger(value)) return { intValue: String(value) };
  // JSON has no other way to write these (proto3's mapping of doubles).
  return { doubleValue: Number.isFinite(value) ? value : String(value) };
}

/** Cut, and without halves of a pair: one letter that is none would cost the whole export. */
export function stringValue(text: string): object {
  return { stringValue: text.slice(0, VALUE_LIMIT_CHARACTERS).toWellFormed() };
}

/** Nanoseconds since 1970 of milliseconds since 1970, to the microsecond: floats have no more. */
export function unixNanos(ms: number): string {
  return String(BigInt(Math.round(ms * 1_000)) * 1_000n);
}

/** Whose figures and lines they are. */
export function resourceOf(options: OtlpOptions): { readonly attributes: KeyValue[] } {
  return {
    attributes: keyValues({
      "service.name": options.serviceName,
      "service.version": options.serviceVersion,
      "service.instance.id": options.instanceId,
      "telemetry.sdk.language": "nodejs",
    }),
  };
}

export function scopeOf(options: OtlpOptions): object {
  return { name: "tollgate", version: options.serviceVersion };
}
