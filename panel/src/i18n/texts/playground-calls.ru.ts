/** Texts of the playground's forms for calls that are no chat, in Russian. */
import { quotedName } from "../../../../src/contract/quoted-name.ts";
import { plural } from "../plural.ts";

const labels = {
  imagePrompt: "Что нарисовать",
  size: "Размер",
  quality: "Качество",
  image: "Исходные изображения",
  imageCount: "Сколько изображений",
  speechText: "Что озвучить",
  voice: "Голос",
  soundFormat: "Формат звука",
  speed: "Скорость",
  instructions: "Как говорить",
  sound: "Запись",
  translate: "Перевести на английский",
  textFormat: "Формат ответа",
  language: "Язык записи",
  soundPrompt: "Подсказка",
  texts: "Тексты",
  dimensions: "Длина вектора",
  query: "Запрос",
  documents: "Документы",
  topN: "Сколько вернуть",
  judgedText: "Что проверить",
  completionPrompt: "Начало текста",
  maxTokens: "Максимум токенов ответа",
  suffix: "Что стоит после",
  temperature: "Температура",
};

export const playgroundCallsRu = {
  labels,
  hints: {
    image: "С ними модель не рисует заново, а меняет то, что есть. PNG, JPEG или WebP.",
    voice: "Как его называет модель: alloy, nova, onyx…",
    speed: "1 — обычная.",
    instructions: "Тон, темп, настроение: если модель так умеет.",
    sound: "Звук или видео со звуком, до 25 МБ.",
    language: "Две буквы: ru, en. Пусто — модель поймёт сама.",
    soundPrompt: "Имена и термины, которые будут звучать.",
    texts: "По одному на строке. Если их несколько, покажем, насколько они похожи на первый.",
    dimensions: "Пусто — как у модели.",
    documents: "По одному на строке.",
    topN: "Пусто — все.",
    suffix: "Модель напишет то, что между.",
  } as Readonly<Partial<Record<keyof typeof labels, string>>>,
  /** By the values of the API; another one is shown as it is. */
  choices: {
    auto: "на усмотрение модели",
    low: "низкое",
    medium: "среднее",
    high: "высокое",
    json: "текст",
    text: "простой текст (text/plain)",
    srt: "субтитры SRT",
    vtt: "субтитры WebVTT",
    verbose_json: "с отрезками времени (verbose_json)",
  } as Readonly<Record<string, string>>,
  /** By the type of the model and the names of its parameters. */
  examples: {
    image: { prompt: "Старая застава на перевале, рассвет, акварель" },
    speech: { input: "Добрый день! Проезд оплачен, счастливого пути." },
    embedding: {
      input: "Как оплатить проезд?\nГде купить билет?\nПогода на завтра",
    },
    rerank: {
      query: "Как оплатить проезд?",
      documents:
        "Оплатить проезд можно картой или наличными.\nЗастава открыта круглосуточно.\nПроезд пешеходов бесплатный.",
    },
    moderation: { input: "Отличная дорога, спасибо!" },
    completion: { prompt: "Однажды на заставе" },
  } as Readonly<Record<string, Readonly<Record<string, string>>>>,
  atMost: "Не дороже",
  sendFor: (amount: string) => `Отправить, не дороже ${amount}`,
  answer: "Ответ",
  download: "Скачать",
  toFiles: "Все файлы",
  imageNumber: (number: number) => `Изображение ${number}`,
  spoken: "Озвученный текст",
  subtitles: "Субтитры",
  notMedia: "Этот файл не подошёл: он повреждён или другого вида.",
  silence: "Модель ничего не написала.",
  likeness: (first: string) => `Похожесть на ${quotedName("ru", first)}, от −1 до 1`,
  dimensions: (count: number, shown: string) =>
    `${shown} ${plural("ru", count, { one: "число", few: "числа", many: "чисел", other: "числа" })}`,
  ranking: "Документы, самые подходящие первыми",
  documentNumber: (number: number) => `Документ ${number}`,
  flagged: (categories: string) => `Найдено: ${categories}.`,
  notFlagged: "Ничего запрещённого не найдено.",
  judged: "Категории и их вероятность",
  mark: "найдено",
  /** By OpenAI's names; another one is shown as it is. */
  categories: {
    harassment: "травля",
    "harassment/threatening": "травля с угрозами",
    hate: "ненависть",
    "hate/threatening": "ненависть с угрозами",
    illicit: "незаконное",
    "illicit/violent": "незаконное с насилием",
    "self-harm": "вред себе",
    "self-harm/intent": "намерение навредить себе",
    "self-harm/instructions": "советы, как навредить себе",
    sexual: "сексуальное",
    "sexual/minors": "сексуальное о детях",
    violence: "насилие",
    "violence/graphic": "насилие в подробностях",
  } as Readonly<Record<string, string>>,
};

export type CallsTexts = typeof playgroundCallsRu;
