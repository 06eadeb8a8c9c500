/** Texts of the chat in the playground, in Russian. */
import { quotedName } from "../../../../src/contract/quoted-name.ts";

export const playgroundChatRu = {
  // What the browser keeps.
  chats: "Чаты",
  showChats: "Показать чаты",
  noChats: "Здесь появятся ваши чаты.",
  untitled: "Без слов",
  keptHere: "Чаты и промпты хранятся только в этом браузере, на сервере их нет.",
  notKept: {
    too_large: "Этот чат слишком большой: браузер его не сохранит.",
    refused: "Браузер не даёт сохранить чат: он исчезнет, когда вы уйдёте со страницы.",
  },
  deleteChat: (title: string) => `Удалить чат: ${title}`,
  deleteTitle: "Удалить этот чат?",
  deleteText: (title: string) =>
    `Чат ${quotedName("ru", title)} исчезнет из этого браузера, вернуть его нельзя. Его запросы и квитанции останутся.`,
  deleteAction: "Удалить чат",
  deleteAll: "Удалить все",
  deleteAllTitle: "Удалить все чаты и промпты?",
  deleteAllText:
    "Они исчезнут из этого браузера, вернуть их нельзя. Запросы и квитанции останутся.",
  deleteAllAction: "Удалить все чаты и промпты",
  // Models.
  compare: "Сравнить",
  compareHint: "Вторая модель рядом получит те же сообщения; платите за обе.",
  code: "Код",
  secondModel: "Вторая модель",
  lane: (name: string) => `Чат с ${name}`,
  secondLane: (name: string) => `Рядом чат с ${name}`,
  leaveModel: (name: string) => `Убрать модель ${name}`,
  pricePerMillion: (input: string, output: string) => `вход ${input} · выход ${output} за млн`,
  /** Where there is little room; the whole of it is told beside. */
  pricesShort: (input: string, output: string) => `${input} / ${output}`,
  // Turns.
  edit: "Изменить",
  editText: "Новый текст",
  editWarns: "Всё, что было в чате после этого сообщения, исчезнет.",
  sendEdited: "Отправить заново",
  repeat: "Ответить ещё раз",
  answerText: "ответ",
  notAnswered: "На этот запрос ответа не было.",
  // Told to screen readers, once each.
  tellsWriting: "Модель отвечает.",
  tellsDone: "Ответ готов.",
  tellsStopped: "Ответ остановлен.",
  tellsFailed: "Ответа не получилось.",
  // The message.
  keys: "Enter — отправить, Shift+Enter — новая строка, Esc — остановить.",
  estimateOfTwo: "За две модели не дороже",
  // Settings.
  closeSide: "Закрыть",
  format: "Формат ответа",
  formats: { text: "текст", json: "любой JSON", schema: "JSON по схеме" },
  formatHint: "«Любой JSON» бывает только в протоколах OpenAI.",
  schema: "JSON-схема",
  schemaHint: "Корень — объект; все поля в required, additionalProperties: false.",
  prompts: "Сохранённые промпты",
  choosePrompt: "выберите промпт",
  keepPrompt: "Сохранить промпт",
  removePrompt: "Удалить промпт",
  promptNotKept: "Сохранить не вышло: промпт слишком длинный, или браузер не даёт.",
};

export type PlaygroundChatTexts = typeof playgroundChatRu;
