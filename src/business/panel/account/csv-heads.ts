/**
 * What stands over the columns of the tables that are exported, in the order of their cells; the
 * zone of the first is added to it.
 */
import type { Language } from "../../../contract/enums/language.ts";

type Heads = Readonly<Record<Language, readonly string[]>>;

export const LEDGER_HEADS: Heads = {
  en: [
    "Time",
    "Kind",
    "Change, RUB",
    "Balance after, RUB",
    "Request",
    "Key",
    "Key name",
    "Price version",
    "Reference",
    "Note",
    "Credit",
  ],
  ru: [
    "Время",
    "Вид",
    "Изменение, ₽",
    "Баланс после, ₽",
    "Запрос",
    "Ключ",
    "Название ключа",
    "Версия цен",
    "Номер",
    "Заметка",
    "Какие деньги",
  ],
};

export const REQUEST_HEADS: Heads = {
  en: [
    "Time",
    "Request",
    "Kind",
    "Protocol",
    "Model",
    "Model requested",
    "Key",
    "Key name",
    "State",
    "Finish reason",
    "Input tokens",
    "Cached input tokens",
    "Cache write tokens",
    "Output tokens",
    "Reasoning tokens",
    "Duration, ms",
    "First token, ms",
    "Charged, RUB",
  ],
  ru: [
    "Время",
    "Запрос",
    "Вид",
    "Протокол",
    "Модель",
    "Модель в запросе",
    "Ключ",
    "Название ключа",
    "Состояние",
    "Причина конца",
    "Входные токены",
    "Из кэша",
    "В кэш",
    "Выходные токены",
    "Из них рассуждения",
    "Длительность, мс",
    "До первого токена, мс",
    "Списано, ₽",
  ],
};

export const ACCOUNT_HEADS: Heads = {
  en: [
    "Opened",
    "Account",
    "Id",
    "E-mails",
    "Balance, RUB",
    "Held, RUB",
    "Available, RUB",
    "Spent in 30 days, RUB",
    "Last request",
    "State",
    "Tags",
  ],
  ru: [
    "Открыт",
    "Аккаунт",
    "Номер",
    "Почта",
    "Баланс, ₽",
    "Удержано, ₽",
    "Доступно, ₽",
    "Траты за 30 дней, ₽",
    "Последний запрос",
    "Состояние",
    "Метки",
  ],
};

export const ACCOUNT_LOG_HEADS: Heads = {
  en: ["Time", "Who", "Action", "What", "Its id", "Before", "After"],
  ru: ["Время", "Кто", "Действие", "Что", "Номер", "Было", "Стало"],
};
