/** Texts of the page of batches, in Russian. */
import { plural } from "../plural.ts";

export const batchesRu = {
  title: "Пакеты",
  lead: "Много запросов одним файлом: выполняются в течение суток, позади остальных. Отправляют их по API, результаты читают там же.",
  caption: "Пакеты аккаунта",
  batch: "Пакет",
  state: "Состояние",
  lines: "Строки",
  answered: (succeeded: string, total: string) => `${succeeded} из ${total}`,
  errored: (count: number, shown: string) =>
    `${shown} ${plural("ru", count, { one: "ошибка", few: "ошибки", many: "ошибок", other: "ошибки" })}`,
  unrun: (shown: string) => `не выполнено: ${shown}`,
  held: "Удержано при приёме",
  charged: "Списано",
  unknown: "неизвестно",
  created: "Отправлен",
  actions: "Действия",
  stop: "Остановить",
  stopOf: (id: string) => `Остановить ${id}`,
  stopTitle: "Остановить пакет?",
  stopText:
    "Новые строки не начнутся. Те, что уже выполняются, закончатся и будут списаны, остаток удержания вернётся.",
  stopAction: "Остановить пакет",
  stopped: "Пакет останавливается",
  emptyTitle: "Пакетов пока нет",
  emptyText: "Отправьте файл запросов по API: POST /v1/files, затем POST /v1/batches.",
};

export type BatchesTexts = typeof batchesRu;
