/**
 * How a file tells its reader moments and words of fixed lists: as the panel does, in their
 * language and time zone.
 */
import type { Language } from "../../../contract/enums/language.ts";
import { sayRefusal } from "../../../contract/sentences/say-refusal.ts";
import { Fault } from "../../../kernel/faults.ts";
import { isTimezone } from "../../../kernel/is-timezone.ts";
import type { CsvCell } from "./csv.ts";

export interface CsvReader {
  readonly language: Language;
  /** An IANA name; null: moments are told as the API tells them. */
  readonly timezone: string | null;
}

export interface CsvSpelling {
  /** Of a title over moments. */
  readonly zone: string;
  moment(iso: string): CsvCell;
  /** A word of the API's: those of a file in English. */
  word(word: string): CsvCell;
}

const RU: Readonly<Record<string, string>> = {
  topup: "Пополнение",
  adjust: "Корректировка",
  refund: "Возврат пополнения",
  refund_returned: "Возврат не прошёл",
  charge: "Списание",
  release: "Возврат удержания",
  loss: "За наш счёт",
  paid: "оплаченные",
  trial: "пробные",
  bonus: "бонус",
  chat: "чат",
  task: "задача",
  completed: "Готово",
  interrupted: "Прервано",
  stopped_by_balance: "Остановлено: кончились деньги",
  client_gone: "Вы отключились",
  failed: "Ошибка",
  queued: "В очереди",
  processing: "Обрабатывается",
  open: "работает",
  blocked: "заблокирован",
};

/** Throws Fault("invalid_request") for a time zone that there is not. */
export function spellFor({ language, timezone }: CsvReader): CsvSpelling {
  if (timezone !== null && !isTimezone(timezone))
    throw new Fault("invalid_request", { ...sayRefusal("no_timezone"), param: "timezone" });
  const written = timezone === null ? null : clockOf(timezone);
  return {
    zone: timezone ?? "UTC",
    moment: (iso) => ({ figure: written === null ? iso : written.format(new Date(iso)) }),
    word: (word) => ({ figure: language === "ru" ? (RU[word] ?? word) : word }),
  };
}

/**
 * `2026-11-23 00:44:43`: what spreadsheets of every language take for a moment, and sort and sum up
 * by day.
 */
function clockOf(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
}
