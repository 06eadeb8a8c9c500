/** What a form of the panel is refused for, in Russian: by the reason and what it names. */
import type { PanelRefusals, RefusalSentences } from "../../../src/contract/panel/panel-refusal.ts";
import { formatMoney } from "./format-money.ts";
import { plural } from "./plural.ts";
import { characters } from "./sentence-patterns.ts";

const TASK_STATES: Readonly<Partial<Record<PanelRefusals["task_ended"]["state"], string>>> = {
  completed: "готова",
  failed: "закончилась ошибкой",
};

const roubles = (amount: string): string => formatMoney(amount, "ru");

export const REFUSALS_RU: RefusalSentences = {
  password_short: ({ limit }) => `Нужно не меньше ${characters(String(limit))}.`,
  password_long: ({ limit }) => `Не длиннее ${characters(String(limit))}.`,
  password_is_email: () => "Почту в пароле угадают первой. Придумайте другой.",
  password_common: () =>
    "Этот пароль — из самых частых, его подбирают первым. Придумайте другой, например из нескольких слов.",
  password_same: () => "Это ваш нынешний пароль. Нужен другой.",
  current_password_wrong: () => "Текущий пароль не подходит.",
  password_wrong: () => "Пароль не подходит.",
  code_wrong: () => "Код не подходит или уже использован.",
  second_factor_on: () => "Второй фактор уже включён. Сначала выключите его.",
  no_code_asked: () => "Код здесь больше не нужен: обновите страницу.",
  no_email: () => "Это не адрес почты.",
  name_expected: ({ limit }) => `Нужно название в одну строку, до ${characters(String(limit))}.`,
  no_timezone: () => "Такого часового пояса нет.",
  member_already: () => "Этот человек уже участник вашего аккаунта.",
  email_taken: () => "С этой почтой уже есть аккаунт. Попросите пригласить вас на другую.",
  last_owner: () =>
    "У аккаунта должен остаться владелец. Сначала сделайте владельцем кого-нибудь ещё.",
  owners_give_roles: () => "Роли меняют только владельцы.",
  owners_remove: () => "Удалять других могут только владельцы.",
  key_deleted: () => "Этот ключ уже удалён.",
  key_rolled: () => "Этот ключ уже заменяли. Замените тот, что занял его место.",
  key_expired: () => "Срок этого ключа вышел. Сначала продлите его или создайте новый ключ.",
  alerts_most: ({ limit }) => `Правил может быть не больше ${limit}. Сначала удалите лишнее.`,
  tests_most: () => "За час слишком много проверок.",
  rows_most: ({ limit }) => `Строк больше ${limit}. Выберите время покороче и скачайте по частям.`,
  days_expected: ({ limit }) =>
    `Выберите от 1 до ${limit} ${plural("ru", limit, { one: "дня", other: "дней" })}, начиная с первого.`,
  blocked_already: () => "Этот аккаунт уже заблокирован.",
  not_blocked: () => "Этот аккаунт не заблокирован.",
  correction_amount: ({ limit }) => `Нужна сумма не 0 и не больше ${roubles(limit)}.`,
  top_up_amount: ({ limit }) => `Нужна сумма больше 0 и до ${roubles(limit)}.`,
  no_amount: () => "Нужна сумма в рублях, например 12,34.",
  available_only: ({ available }) =>
    `Свободно только ${roubles(available)}: удержанное за то, что выполняется, забрать нельзя.`,
  reference_taken: () => "Под этой ссылкой уже есть другая запись. Ничего не изменилось.",
  task_ended: ({ state }) =>
    `Задача уже ${TASK_STATES[state] ?? "закончилась"}; что закончилось, остаётся как есть.`,
  catalogue_mistakes: () => "В каталоге есть ошибки. Ничего не изменилось.",
  version_in_force: ({ now, expected }) =>
    `Сейчас действует версия ${now}, а не ${expected}. Сначала сравните с ней. Ничего не изменилось.`,
};
