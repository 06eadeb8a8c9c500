/** What members changed of their account, in Russian. */
import type { AccountAction } from "../../../../src/contract/enums/account-action.ts";

export interface AccountLogTexts {
  readonly lead: string;
  readonly caption: string;
  readonly csv: string;
  readonly at: string;
  readonly who: string;
  readonly action: string;
  readonly changes: string;
  readonly yes: string;
  readonly no: string;
  readonly empty: string;
  readonly emptyText: string;
  readonly nothingFoundText: string;
  readonly actions: Readonly<Record<AccountAction, string>>;
  /** Fields by the names under which they are kept; one that is not here is shown by that. */
  readonly fields: Readonly<Record<string, string>>;
  readonly periods: Readonly<Record<string, string>>;
  /** Words that stand in a field, by the field. */
  readonly values: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export const accountLogRu: AccountLogTexts = {
  lead: "Кто и когда менял ключи, группы, участников, лимиты и оповещения, и когда панель аккаунта смотрел оператор. Записи нельзя ни исправить, ни удалить.",
  caption: "Изменения аккаунта",
  csv: "Скачать CSV",
  at: "Когда",
  who: "Кто",
  action: "Действие",
  changes: "Было и стало",
  yes: "да",
  no: "нет",
  empty: "Изменений пока нет",
  emptyText: "Здесь появится каждое изменение ключей, групп, участников, оповещений и пополнений.",
  nothingFoundText: "Попробуйте другой период или другого участника.",
  actions: {
    "key.create": "Ключ создан",
    "key.change": "Ключ изменён",
    "key.roll": "Ключ заменён",
    "key.freeze": "Ключ заморожен",
    "key.unfreeze": "Ключ разморожен",
    "key.freeze_all": "Все ключи заморожены",
    "key.delete": "Ключ удалён",
    "group.create": "Группа создана",
    "group.change": "Группа изменена",
    "group.freeze": "Группа выключена",
    "group.unfreeze": "Группа включена",
    "group.delete": "Группа удалена",
    "member.invite": "Приглашение отправлено",
    "member.withdraw": "Приглашение отозвано",
    "member.join": "Участник присоединился",
    "member.role": "Роль изменена",
    "member.group": "Группа новых ключей выбрана",
    "member.remove": "Участник вышел",
    "passkey.add": "Ключ доступа добавлен",
    "passkey.remove": "Ключ доступа удалён",
    "passkey.log_in": "Вход с ключом доступа",
    "passkey.refused": "Вход не разрешён: счётчик ключа доступа пошёл назад",
    "account.second_factor": "Второй фактор для всех",
    "account.see_as": "Оператор смотрит панель аккаунта",
    "alert.create": "Оповещение создано",
    "alert.change": "Оповещение изменено",
    "alert.delete": "Оповещение удалено",
    "alert.secret": "Секрет оповещений сменён",
    "task.secret": "Секрет вебхуков сменён",
    "top_up.begin": "Пополнение начато",
  },
  fields: {
    name: "название",
    limit: "лимит",
    expiresAt: "срок",
    until: "не дольше чем до",
    models: "модели",
    ips: "адреса",
    address: "адрес",
    counter: "счётчик подписей",
    requestsPerMinute: "запросов в минуту",
    tokensPerMinute: "токенов в минуту",
    maxConcurrent: "одновременно",
    maxTasks: "незавершённых задач",
    owner: "владелец",
    rolledTo: "новый ключ",
    working: "работающих ключей",
    role: "роль",
    keys: "ключей осталось аккаунту",
    group: "группа",
    required: "обязателен",
    threshold: "порог",
    percent: "процентов лимита",
    factor: "во сколько раз",
    key: "ключ",
    enabled: "включено",
    mailTo: "почта",
    telegramTo: "Telegram",
    members: "кому",
    webhook: "вебхук",
    amount: "сумма",
    method: "способ",
  },
  periods: { day: "в день", month: "в месяц", total: "на всё время" },
  values: {
    role: {
      developer: "разработчик",
      viewer: "наблюдатель",
      manager: "менеджер",
      owner: "владелец",
    },
    kind: {
      balance_below: "баланс ниже порога",
      spend_day: "траты за день",
      spend_month: "траты за месяц",
      spend_spike: "резкий рост трат",
      limit_used: "лимит группы или ключа",
    },
    mailTo: { owners: "владельцам", members: "участникам", nobody: "никому" },
    telegramTo: { owners: "владельцам", members: "участникам", nobody: "никому" },
    method: { bank_card: "картой", sbp: "через СБП" },
  },
};
