/**
 * Whether an OpenTelemetry collector takes what would be sent to it: an export of nothing, with the
 * headers of a real one.
 */
import type { OtlpOptions, OtlpSignal } from "./otlp-collector.ts";
import { createOtlpPost } from "./otlp-sender.ts";

export type CollectorCheck =
  | { readonly kind: "takes" }
  /** What it answered besides is not handed on: it may repeat what it was shown. */
  | { readonly kind: "refuses"; readonly status: number }
  /** `tls`: it was reached, and the encryption failed. `foreign`: what it speaks is no HTTP. */
  | { readonly kind: "unreached" | "tls" | "foreign"; readonly reason: string };

/** What an export of each signal is a list of. */
const LIST_OF: Readonly<Record<OtlpSignal, string>> = {
  traces: "resourceSpans",
  metrics: "resourceMetrics",
  logs: "resourceLogs",
};

/** Never rejects. The reason is the system's word. */
export async function checkCollector(
  options: Pick<OtlpOptions, "endpoint" | "headers">,
  signal: OtlpSignal,
): Promise<CollectorCheck> {
  const { post, close } = createOtlpPost(options, signal);
  try {
    const { status } = await post({ [LIST_OF[signal]]: [] });
    return status >= 200 && status <= 299 ? { kind: "takes" } : { kind: "refuses", status };
  } catch (error) {
    return { kind: kindOf(error), reason: wordsOf(error) };
  } finally {
    close();
  }
}

const TLS_CODE = /^(?:EPROTO|ERR_SSL_|ERR_TLS_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_)/;

function kindOf(error: unknown): "unreached" | "tls" | "foreign" {
  const code = codeOf(error);
  if (TLS_CODE.test(code)) return "tls";
  return code.startsWith("HPE_") ? "foreign" : "unreached";
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** Where a name has several addresses, the error of them all has a code and no words. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "AbortError" || error.name === "TimeoutError") return "no answer in time";
  // OpenSSL's own words have its file and line in front.
  const words = /:(?:SSL|TLS) routines:[^:]*:([^:]+):/.exec(error.message)?.[1] ?? error.message;
  return words === "" ? codeOf(error) : words;
}
