/** The words of the API reference, in Russian; descriptions stay as the OpenAPI document has them. */
import { markup, type Markup } from "../markup.ts";
import type { ReferenceGroup } from "../reference-groups.ts";

/** What of an operation of the document its name is made of. */
interface Summarized {
  readonly operationId: string;
  readonly summary: string;
}

/** By operation. One that is missing stands in English. */
const SUMMARIES: Readonly<Record<string, string>> = {
  createChatCompletion: "Ответ чата, целиком или потоком",
  createMessage: "Сообщение, целиком или потоком",
  countMessageTokens: "Сколько токенов в промпте",
  createResponse: "Ответ Responses, целиком или потоком",
  compactResponse: "Краткое изложение вместо разговора",
  getResponse: "Сохранённый ответ",
  deleteResponse: "Удалить сохранённый ответ",
  listResponseInputItems: "Что прислали для сохранённого ответа",
  createEmbeddings: "Эмбеддинги текстов",
  rerank: "Документы по близости к запросу",
  createModeration: "Можно ли публиковать текст",
  createCompletion: "Продолжение текста, целиком или потоком",
  createSpeech: "Озвучить текст",
  createTranscription: "Расшифровать запись",
  createTranslation: "Расшифровать запись по-английски",
  generateImages: "Создать изображения по тексту",
  editImages: "Создать изображения по изображениям и тексту",
  createTask: "Заказать задачу",
  getTask: "Одна задача",
  listTasks: "Задачи аккаунта, новые сверху",
  followTask: "Что происходит с задачей, потоком",
  cancelTask: "Отменить задачу",
  listTaskDeliveries: "Вебхуки задачи и все попытки",
  taskEnded: "Вебхук: задача закончилась",
  uploadBatchFile: "Сохранить файл запросов для пакета",
  listBatchFiles: "Файлы пакетов аккаунта, новые сверху",
  getBatchFile: "Один файл",
  deleteBatchFile: "Удалить файл раньше срока",
  getBatchFileContent: "Содержимое файла",
  createBatch: "Выполнить файл запросов за сутки",
  listBatches: "Пакеты аккаунта, новые сверху",
  getBatch: "Один пакет",
  cancelBatch: "Остановить пакет",
  createMessageBatch: "Выполнить много сообщений за сутки",
  listMessageBatches: "Пакеты сообщений аккаунта, новые сверху",
  getMessageBatch: "Один пакет сообщений",
  cancelMessageBatch: "Остановить пакет сообщений",
  getMessageBatchResults: "Что вышло из каждого запроса, по строке JSON на каждый",
  deleteMessageBatch: "Удалить законченный пакет сообщений и его результаты",
  uploadFile: "Загрузить файл и получить его адрес",
  listFiles: "Файлы аккаунта, новые сверху",
  deleteFile: "Удалить файл раньше срока",
  readFile: "Файл из хранилища",
  listModels: "Модели, доступные ключу, с ценами",
  getModel: "Одна модель",
  getBalance: "Баланс аккаунта",
  getKey: "Сам ключ: лимиты и траты",
  listRequests: "Запросы и задачи аккаунта, новые сверху",
  getRequest: "Одна квитанция",
  index: "Что это и где что находится",
  healthz: "Жив ли процесс",
  livez: "Жив ли процесс",
  readyz: "Принимает ли процесс запросы",
  hello: "Есть ли здесь шлюз",
  metrics: "Показатели для Prometheus",
  openapi: "Этот документ",
  docs: "Этот документ, чтобы читать и пробовать",
  panel: "Панель аккаунта",
};

const groups: Readonly<Record<ReferenceGroup, string>> = {
  "chat-completions": "Chat Completions",
  messages: "Messages",
  responses: "Responses",
  embeddings: "Эмбеддинги, ранжирование, модерация",
  audio: "Речь и расшифровка",
  images: "Изображения",
  tasks: "Задачи",
  batches: "Пакеты",
  "message-batches": "Пакеты сообщений",
  storage: "Хранилище",
  models: "Модели",
  account: "Баланс, ключ, квитанции",
  service: "Состояние сервиса",
};

const places: Readonly<Record<string, string>> = {
  path: "путь",
  query: "запрос",
  header: "заголовок",
};

export const referenceRu = {
  title: "Справочник API",
  description: "Все адреса API: параметры, тела, ответы и ошибки.",
  lead: "Из того же описания, по которому шлюз проверяет запросы; пояснения к полям — по-английски.",
  groups,
  pageTitle: (group: ReferenceGroup) => `API: ${groups[group]}`,
  places,
  summaryOf: ({ operationId, summary }: Summarized): Markup | string =>
    SUMMARIES[operationId] ??
    (operationId.startsWith("quote")
      ? "Цена заранее, ничего не списывая"
      : markup`<span lang="en">${summary}</span>`),
  address: "Адрес и ключ",
  addressIs: "Адрес:",
  keys: "Ключ передаётся в заголовке:",
  machines: "То же для программ, OpenAPI 3.1:",
  viewer: "С формами, чтобы пробовать (1,3 МБ скрипта, по-английски):",
  viewerLink: "интерактивный справочник",
  endpoint: "Адрес",
  open: "без ключа",
  parameters: "Параметры",
  name: "Имя",
  place: "Где",
  meaning: "Значение",
  required: "обязательно",
  body: "Тело запроса",
  example: "Пример тела",
  answers: "Ответы",
  headers: "Заголовки ответа",
  schemas: "Схемы",
  fields: "Поля",
  field: "Поле",
  asAbove: "те же поля, что выше",
  webhook: "Шлюз сам отправляет это POST-запросом на адрес из x-callback-url.",
  webhookGuide: "Как проверить подпись",
};

export type ReferenceTexts = typeof referenceRu;
