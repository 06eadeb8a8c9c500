/**
 * OpenTelemetry's words for generative AI (status: development) for what is served here, the same in
 * spans and figures.
 */
import type { UpstreamConfig } from "../../catalogue/catalogue.ts";
import type { TracedChat } from "./chat-trace.ts";

/** What the convention calls that which is no chat, by the route of its endpoint. */
const OPERATIONS: ReadonlyMap<string, string> = new Map([
  ["/v1/embeddings", "embeddings"],
  ["/v1/completions", "text_completion"],
  ["/v1/images/generations", "generate_content"],
  ["/v1/images/edits", "generate_content"],
  ["/v1/audio/speech", "generate_content"],
  // It has no names for these.
  ["/v1/audio/transcriptions", "transcription"],
  ["/v1/audio/translations", "transcription"],
  ["/v1/rerank", "rerank"],
  ["/v1/moderations", "moderation"],
]);
const PANEL_PREFIX = /^\/panel\/api\/playground\//;

/** `route`: as callers and readers know it, of the API or the panel. */
export function operationOf(route: string): string {
  return OPERATIONS.get(route.replace(PANEL_PREFIX, "/v1/")) ?? "chat";
}

/**
 * The convention's name for the dialect of the telemetry; who the provider is, the operator's name
 * for it says.
 */
export function providerOf({ protocol }: Pick<UpstreamConfig, "protocol">): string {
  return protocol === "responses" ? "openai" : protocol;
}

export function addressOf({ baseUrl }: Pick<UpstreamConfig, "baseUrl">): {
  readonly "server.address": string;
  readonly "server.port": number;
} {
  const url = new URL(baseUrl);
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  return { "server.address": url.hostname, "server.port": port };
}

/** The kind of error of one that was admitted; null for none. */
export function errorOf({ state, fault }: Pick<TracedChat, "state" | "fault">): string | null {
  return state === "interrupted" || state === "failed" ? (fault?.code ?? state) : null;
}
