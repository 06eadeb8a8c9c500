/**
 * The state of a request, a task, a payment or a delivery: its word in both languages, and its
 * colour.
 */
import type { ReactNode } from "react";
import { useTexts } from "../i18n/locale.tsx";
import { statusesEn } from "../i18n/texts/statuses.en.ts";
import { statusesRu } from "../i18n/texts/statuses.ru.ts";
import type { Tone } from "./badge.tsx";
import { Status } from "./status.tsx";

const TEXTS = { ru: statusesRu, en: statusesEn };

const TONES: Readonly<Record<string, Tone>> = {
  queued: "neutral",
  created: "neutral",
  expired: "neutral",
  cancelled: "neutral",
  canceled: "neutral",
  released: "neutral",
  closed: "neutral",
  pending: "live",
  running: "live",
  open: "live",
  held: "live",
  submitted: "live",
  validating: "live",
  in_progress: "live",
  finalizing: "live",
  cancelling: "live",
  processing: "live",
  succeeded: "good",
  completed: "good",
  delivered: "good",
  settled: "good",
  charged: "good",
  paid: "good",
  active: "good",
  ok: "good",
  frozen: "warn",
  half_open: "warn",
  degraded: "warn",
  retrying: "warn",
  interrupted: "warn",
  stopped_by_balance: "warn",
  client_gone: "warn",
  failed: "bad",
  refused: "bad",
  rejected: "bad",
  blocked: "bad",
  deleted: "bad",
};

/** @param status as the API says it; one that is not known is shown as it is. */
export function StatusBadge({ status }: { readonly status: string }): ReactNode {
  const texts = useTexts<Readonly<Record<string, string>>>(TEXTS);
  return <Status tone={TONES[status] ?? "neutral"}>{texts[status] ?? status}</Status>;
}
