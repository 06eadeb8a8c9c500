/** Texts of the page of files, in Russian. */
import { quotedName } from "../../../../src/contract/quoted-name.ts";

export const filesRu = {
  title: "Файлы",
  lead: "Всё, что вы загрузили, и всё, что создали задачи. Файл удаляется сам, когда истекает его срок.",
  caption: "Файлы аккаунта",
  used: "Занято",
  of: (used: string, limit: string) => `${used} из ${limit}`,
  usage: "Занятое место",
  uploadHint: (limit: string) =>
    `Изображения, видео, звук — до ${limit} каждый. Можно несколько сразу.`,
  uploaded: "Файл загружен",
  emptyTitle: "Файлов пока нет",
  emptyText:
    "Загрузите файл здесь или закажите задачу в плейграунде: её результаты появятся в этом списке.",
  openPlayground: "Открыть плейграунд",
  file: "Файл",
  type: "Тип",
  size: "Размер",
  origin: "Откуда",
  stored: "Сохранён",
  expires: "Истекает",
  origins: { upload: "загрузка", result: "результат задачи", copy: "копия для задачи" },
  pixels: (width: number, height: number) => `${width} × ${height}`,
  address: (name: string) => `адрес файла ${name}`,
  actions: "Действия",
  downloadOf: (name: string) => `Скачать ${name}`,
  removeOf: (name: string) => `Удалить ${name}`,
  removeTitle: (name: string) => `Удалить файл ${quotedName("ru", name)}?`,
  removeText: "Его адрес перестанет работать сразу. Вернуть файл нельзя.",
  removeAction: "Удалить файл",
  removed: "Файл удалён",
};

export type FilesTexts = typeof filesRu;
