/** What an examination says of one thing: how bad it is, what it means, and what to do next. */
import type { Language } from "../../contract/enums/language.ts";

/** From the best to the worst. */
export const SEVERITIES = ["ok", "note", "warning", "error"] as const;
export type Severity = (typeof SEVERITIES)[number];

/** In the order of the report. */
export const CHECK_NAMES = [
  "settings",
  "gateway",
  "database",
  "replica",
  "distribution",
  "migrations",
  "clock",
  "books",
  "storage",
  "disk",
  "mail",
  "telegram",
  "payments",
  "collector",
  "catalogue",
  "upstreams",
  "certificates",
  "proxy",
  "secrets",
  "backups",
] as const;
export type CheckName = (typeof CHECK_NAMES)[number];

/** One sentence in each language; what servers and settings are called by stays as it is. */
export type Words = Readonly<Record<Language, string>>;

/** One thing that a check found. */
export interface Remark {
  readonly severity: Severity;
  /** In one line. */
  readonly found: Words;
  /** For those who use the gateway; null where all is well. */
  readonly means: Words | null;
  /** What its operator does about it; null where all is well. */
  readonly next: Words | null;
}

export interface Finding extends Remark {
  readonly check: CheckName;
}

export function fine(found: Words): Remark {
  return { severity: "ok", found, means: null, next: null };
}

/** So it was chosen, or it cannot be known from here. */
export function note(found: Words, means: Words, next: Words): Remark {
  return { severity: "note", found, means, next };
}

/** It works, and will not for long or not for everybody. */
export function warning(found: Words, means: Words, next: Words): Remark {
  return { severity: "warning", found, means, next };
}

/** It does not work, or money is at stake. */
export function fault(found: Words, means: Words, next: Words): Remark {
  return { severity: "error", found, means, next };
}

export function worstOf(remarks: readonly Pick<Remark, "severity">[]): Severity {
  const worst = Math.max(0, ...remarks.map(({ severity }) => SEVERITIES.indexOf(severity)));
  return SEVERITIES[worst] ?? "ok";
}

/** What settings that cannot be read come to: nothing else can be looked at with them. */
export function settingsFindings(mistakes: readonly string[]): Finding[] {
  return mistakes.map((mistake) => ({
    check: "settings",
    ...fault(
      { en: mistake, ru: mistake },
      { en: "The gateway does not start.", ru: "Шлюз не запустится." },
      {
        en: "Mend it in .env or the environment; tollgate config --example has every setting. Then ask again for the rest.",
        ru: "Исправьте в .env или в окружении; все настройки — в tollgate config --example. Потом спросите об остальном ещё раз.",
      },
    ),
  }));
}

/** A finding as it is read, in one language. */
export interface FindingText {
  readonly check: CheckName;
  readonly severity: Severity;
  readonly found: string;
  readonly means: string | null;
  readonly next: string | null;
}

export function findingText(
  { check, severity, found, means, next }: Finding,
  language: Language,
): FindingText {
  return {
    check,
    severity,
    found: found[language],
    means: means?.[language] ?? null,
    next: next?.[language] ?? null,
  };
}
