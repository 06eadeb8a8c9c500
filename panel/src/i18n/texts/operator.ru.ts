/** Words that several pages of operators share, in Russian. */
import type { ChatState } from "../../../../src/contract/enums/chat-state.ts";

export const operatorRu = {
  account: "Аккаунт",
  keyNeedsAccount: "Выберите аккаунт или вставьте хеш ключа целиком.",
  key: "Ключ",
  model: "Модель",
  upstream: "Поставщик",
  state: "Состояние",
  reason: "Причина",
  reasonHint: "Останется в журнале действий.",
  requests: "Запросы",
  charged: "Списано",
  cost: "Себестоимость",
  modelAndUpstream: "Модель и поставщик",
  chargedAndCost: "Списано и себестоимость, ₽",
  nobody: "никто не обслужил",
  onServer: "на сервере",
  /** By what stands before the colon of an actor. */
  actorsOnServer: {
    cli: (user: string) => `командой на сервере, пользователь ${user}`,
    start: (user: string) =>
      user === "" ? "сервер при запуске" : `сервер при запуске, пользователь ${user}`,
  } as Readonly<Record<string, (user: string) => string>>,
  unknown: "неизвестно",
  startedAt: "Начат",
  startedIn: (zone: string) => `Начат, ${zone}`,
  duration: "Длительность",
  tokens: "Токены, вх. / вых.",
  failedAttempts: (count: string) => `неудачных попыток: ${count}`,
  requestsCaption: "Запросы",
  noRequests: "Запросов нет",
  noRequestsText: "Здесь появятся запросы, как только они завершатся.",
  nothingFoundText: "Смягчите условия или сбросьте фильтры.",
  states: {
    completed: "готово",
    interrupted: "оборван поставщиком",
    stopped_by_balance: "остановлен: кончились деньги",
    client_gone: "клиент отключился",
    failed: "ошибка",
    running: "выполняется",
  } satisfies Record<ChatState | "running", string> as Readonly<Record<string, string>>,
};

export type OperatorTexts = typeof operatorRu;
