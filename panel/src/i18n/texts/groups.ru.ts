/** Texts of groups of keys, in Russian. */
import { quotedName } from "../../../../src/contract/quoted-name.ts";
import { plural } from "../plural.ts";

export const groupsRu = {
  title: "Группы",
  lead: "Ключи отдела или проекта с общим лимитом. Траты ключа должны поместиться и в лимит группы, и в его собственный.",
  caption: "Группы ключей",
  create: "Создать группу",
  emptyTitle: "Групп пока нет",
  emptyText: "Создайте группу, а потом выберите её в настройках ключей.",
  emptyViewer: "Создать группу может владелец или менеджер аккаунта.",
  group: "Группа",
  keys: (count: number) =>
    `${count} ${plural("ru", count, { one: "ключ", few: "ключа", many: "ключей", other: "ключа" })}`,
  allModels: "все модели",
  someModels: (count: number) =>
    `${count} ${plural("ru", count, { one: "модель", few: "модели", many: "моделей", other: "модели" })}`,
  state: "Состояние",
  on: "включена",
  off: "выключена",
  limit: "Лимит",
  limitRemains: (left: string) => `осталось ${left}`,
  limitOf: (amount: string, period: string) => `из ${amount} ${period}`,
  noLimit: "без лимита",
  periods: { day: "в день", month: "в месяц", total: "на всё время" },
  today: "Сегодня",
  month: "За месяц",
  total: "За всё время",
  createTitle: "Новая группа",
  editTitle: "Настройки группы",
  name: "Название",
  nameHint: "Отдел, проект или клиент.",
  limitAmount: "Лимит трат",
  limitHint: "На все ключи группы вместе. Пусто: ограничивает только баланс.",
  limitMistake: "Нужна сумма больше нуля.",
  limitPeriod: "Период лимита",
  models: "Модели",
  modelsHint: "Не отмечено ничего: доступны все, которые разрешены ключу.",
  menuOf: (name: string) => `Действия с группой ${quotedName("ru", name)}`,
  edit: "Изменить",
  saved: "Настройки группы сохранены",
  made: "Группа создана",
  switchOff: "Выключить",
  switchOffTitle: (name: string) => `Выключить группу ${quotedName("ru", name)}?`,
  switchOffText:
    "Новые запросы её ключей получат отказ, пока вы её не включите. То, что уже выполняется, закончится.",
  switchedOff: "Группа выключена",
  switchOn: "Включить",
  switchedOn: "Группа снова работает",
  remove: "Удалить",
  removeTitle: (name: string) => `Удалить группу ${quotedName("ru", name)}?`,
  removeText:
    "Её ключи продолжат работать без группы: их ограничат только их собственные лимиты. Потраченное в группе останется в истории.",
  removeAction: "Удалить группу",
  removed: "Группа удалена",
};

export type GroupsTexts = typeof groupsRu;
