/** The command palette, in Russian. */

export const paletteRu = {
  title: "Найти или перейти",
  hints: {
    account: "Страница, ключ, модель или номер запроса",
    gateway: "Страница, аккаунт, почта или номер запроса",
  },
  found: "Что нашлось",
  pages: "Страницы",
  keys: "Ключи",
  models: "Модели",
  accounts: "Аккаунты",
  actions: "Действия",
  topUpBy: (amount: string) => `Пополнить на ${amount}`,
  byNumber: "По номеру",
  request: "Открыть запрос",
  task: "Открыть задачу",
  nothing: "Ничего не нашлось",
  choose: "выбрать",
  open: "открыть",
  close: "закрыть",
};

export type PaletteTexts = typeof paletteRu;
