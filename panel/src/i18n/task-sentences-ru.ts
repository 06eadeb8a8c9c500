/**
 * What is wrong with the order of a task, in Russian: by the reason of the mistake and what it
 * names.
 */
import type { AllowedRange, WantedKind } from "../../../src/contract/tasks/file-mistake.ts";
import type {
  ExpectedKind,
  TaskSentences,
  WrongCount,
} from "../../../src/contract/tasks/task-mistake.ts";
import { plural } from "./plural.ts";
import { characters } from "./characters.ts";

const EXPECTED: Readonly<Record<ExpectedKind, string>> = {
  flag: "true или false",
  text: "текст",
  texts: "список текстов",
  objects: "список объектов",
  objects_or_flag: "список объектов, true или false",
  object: "объект",
  one_url: "один адрес, а не список",
  url: "адрес",
  urls: "список адресов",
};

const KINDS: Readonly<Record<WantedKind, string>> = {
  image: "изображение",
  image_or_video: "изображение или видео",
  video: "видео",
  audio: "звук",
};

const REQUIRED = "Заполните это поле.";

const quoted = (names: readonly string[], word: string): string =>
  names.map((name) => `«${name}»`).join(` ${word} `);
const places = (limit: number): string =>
  `${limit} ${plural("ru", limit, { one: "места", other: "мест" })}`;
const count = (bound: string, { how, limit, has }: WrongCount): string =>
  `Нужно ${how === "exactly" ? "ровно" : bound} ${limit}; сейчас ${has}.`;

function allowed({ min, max }: AllowedRange, unit = ""): string {
  if (max === undefined) return `можно не меньше ${min}${unit}`;
  return min === undefined ? `можно не больше ${max}${unit}` : `можно от ${min} до ${max}${unit}`;
}

export const TASK_SENTENCES_RU: TaskSentences = {
  // One value.
  required: () => REQUIRED,
  expected: ({ what }) => `Здесь нужно другое: ${EXPECTED[what]}.`,
  characters: () => "В тексте нулевой символ или половина суррогатной пары: уберите их.",
  empty_text: () => REQUIRED,
  minLength: ({ limit }) => `Нужно не меньше ${characters(String(limit))}.`,
  maxLength: ({ limit, has }) => `Не длиннее ${characters(String(limit))}; сейчас ${has}.`,
  no_number: () => "Нужно число.",
  no_whole_number: () => "Нужно целое число.",
  minimum: ({ limit }) => `Не меньше ${limit}.`,
  maximum: ({ limit }) => `Не больше ${limit}.`,
  no_choice: ({ values }) => `Выберите одно из: ${values.join(", ")}.`,
  enum: ({ values }) => `Выберите одно из: ${values.join(", ")}.`,
  minItems: (params) => count("не меньше", params),
  maxItems: (params) => count("не больше", params),
  exclusive: ({ others }) => `Нельзя задать вместе с ${quoted(others, "и")}.`,
  needs: ({ others }) => `Нужно задать и ${quoted(others, "или")}.`,
  total_duration: ({ seconds, limit }) => `Вместе ${seconds} с; можно не больше ${limit} с.`,

  // The body.
  body_no_object: () => "Параметры модели пишут одним объектом JSON.",
  unknown_parameter: ({ name, near }) =>
    `Параметра «${name}» нет.${near === undefined ? "" : ` Возможно, «${near}».`}`,
  unpriced: () => "Для этого значения нет цены. Выберите другое.",

  // Between values.
  element_names: () => "У каждого элемента должно быть своё имя.",
  element_part_of_images: () =>
    "Начало и конец задают только для видео элемента, не для изображений.",
  element_part_length: () =>
    "Отрывок видео элемента, от начала (0) до конца (8000 мс), должен длиться от 3 до 8 секунд.",
  element_video_length: () =>
    "Видео элемента длится не меньше 3 секунд и не меньше, чем указано в endMs.",
  element_video_short: ({ seconds, needed }) =>
    `Видео длится ${seconds} с; для отрывка нужно ${needed} с.`,
  orientation_duration: ({ limit }) => `Не больше ${limit} с, когда ориентация персонажа «image».`,
  orientation_video: ({ limit }) =>
    `Когда ориентация персонажа «image», видео с движением длится не больше ${limit} с.`,
  orientation_video_long: ({ seconds, limit }) =>
    `Видео длится ${seconds} с; с ориентацией персонажа «image» можно не больше ${limit} с.`,
  declared_length: () =>
    "Указанная длительность не меньше длины видео с движением, округлённой вверх.",
  declared_short: ({ limit, seconds }) =>
    `Не меньше ${limit}: видео с движением длится ${seconds} с.`,
  one_image_with_shots: () => "С несколькими планами изображение может быть одно: первый кадр.",
  shots_length: () => "Планы вместе должны длиться столько же, сколько видео: от 3 до 15 секунд.",
  duration_at_1080p: () => "С разрешением 1080P длительность может быть только 6.",
  resolution_at_auto: () =>
    "Когда соотношение сторон «auto» или не выбрано, разрешение может быть только 1K.",
  resolution_at_5_4: () => "С соотношением сторон 5:4 и 4:5 разрешение может быть только 1K.",
  resolution_at_1_1: () => "С соотношением сторон 1:1 разрешение может быть 1K или 2K.",
  video_twice: () => "Видео уже задано ниже: оставьте его в одном из двух полей.",
  one_video_among_images: () => "Среди изображений может быть только одно видео.",
  places_together: ({ limit, each }) =>
    `Изображения, персонажи и видео вместе занимают не больше ${places(limit)}; видео занимает ${each}.`,
  characters_beside_video: ({ limit }) => `Рядом с видео персонажей может быть не больше ${limit}.`,
  clip_length: ({ limit }) =>
    `Конец отрывка должен быть позже начала, не больше чем на ${limit} с.`,
  duration_below_clip: () =>
    "Длительность не может быть меньше отрывка видео: результат длится столько же.",
  clip_end: () => "Отрывок кончается не позже видео.",
  clip_past_end: ({ limit }) => `Не больше ${limit}: столько длится видео.`,

  // Addresses.
  raw_bytes: () =>
    "Сами байты не принимаются. Загрузите файл и вставьте адрес, который вернёт загрузка.",
  blob_url: () =>
    "Адрес blob: есть только в браузере, который его создал. Нужен открытый адрес http(s).",
  file_url: () =>
    "Адрес file: указывает на ваш компьютер. Загрузите файл и вставьте адрес, который вернёт загрузка.",
  data_url: () =>
    "Адреса data: не принимаются. Загрузите файл и вставьте адрес, который вернёт загрузка.",
  base64: () =>
    "Файлы в base64 не принимаются. Загрузите файл и вставьте адрес, который вернёт загрузка.",
  relative_url: () => "Адрес неполный: он начинается с http:// или https://.",
  scheme: () => "Принимаются только адреса http:// и https://.",
  url_too_long: () => "Адрес длиннее 2048 символов.",
  url_characters: () =>
    "В адресе пробел, управляющий символ или обратная косая черта. Закодируйте их.",
  not_a_url: () => "Это не адрес.",
  credentials: () => "В адресе есть имя или пароль. Пришлите его без них.",
  internal_name: () => "Такое имя бывает только в частной сети. Нужен открытый адрес.",
  host_name: () => "Имя сервера в адресе неправильное.",
  address_not_public: () => "Адрес ведёт не в открытую сеть.",
  port: () => "Порт не принимается: можно только 80 и 443.",

  // Files.
  file_not_found: () => "Файла по этому адресу нашего хранилища нет.",
  file_expired: () => "Срок хранения файла истёк, или его удалили. Загрузите его снова.",
  not_media: () => "Это не изображение, не видео и не звук известного вида.",
  unsupported: () => "Файлы этого вида здесь не измеряются.",
  truncated: () => "Файл обрывается: конца нет.",
  corrupt: () => "Файл повреждён: прочитать его нельзя.",
  lying: () => "Заголовок файла и его содержимое говорят разное.",
  too_many_pixels: () => "В изображении слишком много пикселей.",
  too_hard: () => "Файл слишком тяжело прочитать.",
  size: ({ has, limit }) => `В файле ${has} МБ; можно не больше ${limit} МБ.`,
  kind: ({ wanted, got, type }) => `Нужно ${KINDS[wanted]}, а это ${KINDS[got]} (${type}).`,
  kind_by_start: ({ wanted }) => `Нужно ${KINDS[wanted]}, а это другой файл.`,
  file_type: ({ got, allowed: types }) => `Это ${got}; можно: ${types.join(", ")}.`,
  animated: ({ frames }) => `Изображение движется (кадров: ${frames}). Нужно неподвижное.`,
  min_side: ({ size, limit }) => `Размер ${size} пикс.; каждая сторона не меньше ${limit}.`,
  max_side: ({ size, limit }) => `Размер ${size} пикс.; каждая сторона не больше ${limit}.`,
  pixels: ({ size, has, ...range }) => `Размер ${size}, всего пикселей ${has}; ${allowed(range)}.`,
  aspect: ({ size, has, ...range }) =>
    `Размер ${size} пикс., отношение сторон ${has}; ${allowed(range)}.`,
  duration: ({ has, ...range }) => `Длится ${has} с; ${allowed(range, " с")}.`,
  frame_rate: ({ has, ...range }) =>
    `${has === undefined ? "Частоту кадров не удалось измерить" : `${has} кадров/с`}; ${allowed(range, " кадров/с")}.`,
};
