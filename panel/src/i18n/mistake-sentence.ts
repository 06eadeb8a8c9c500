/** What is wrong with an order of a task, and what its values must keep, as the API says it, in the language of the page: a closed list of sentences. */
import type { Language } from "./language.ts";
import { plural } from "./plural.ts";
import { characters, sayByPattern, type Pattern } from "./sentence-patterns.ts";

interface Told {
  readonly code: string;
  readonly message: string;
}

const seconds = (count: string): string => `${count} с`;
const files = (count: string): string =>
  `${count} ${plural("ru", Number(count), { one: "файл", few: "файла", many: "файлов", other: "файла" })}`;
const HOW_MANY: Readonly<Record<string, string>> = { exactly: "ровно", "at least": "не меньше", "at most": "не больше" };
const KINDS: Readonly<Record<string, string>> = {
  "an image": "изображение",
  "an image or a video": "изображение или видео",
  "a video": "видео",
  audio: "звук",
};
/** Of a range that a file must be in; its unit is told before. */
const range = (told: string, unit: string): string => {
  const [, from, to] = /^(\S+) to (\S+) /.exec(told) ?? [];
  if (from !== undefined && to !== undefined) return `можно от ${from} до ${to}${unit}`;
  const [, how = "", bound = ""] = /^(at most|at least) (\S+) /.exec(told) ?? [];
  return `можно ${HOW_MANY[how] ?? ""} ${bound}${unit}`;
};

const PATTERNS: readonly Pattern[] = [
  // One value.
  [/^'.+' is required\.$/, () => "Заполните это поле."],
  [/^'.+' must not be empty\.$/, () => "Заполните это поле."],
  [/^'.+' must have at least (\d+) characters\.$/, (least) => `Нужно не меньше ${characters(least ?? "")}.`],
  [/^'.+' must have at most (\d+) characters; it has (\d+)\.$/, (most, has) => `Не длиннее ${characters(most ?? "")}; сейчас ${has}.`],
  [
    /^'.+' must be at least (\d+): the motion video lasts (\S+) seconds\.$/,
    (least, lasts) => `Не меньше ${least}: видео с движением длится ${seconds(lasts ?? "")}.`,
  ],
  [/^'.+' must be at most (\S+), which is how long the video lasts\.$/, (most) => `Не больше ${most}: столько длится видео.`],
  [/^'.+' must be at least (\S+)\.$/, (least) => `Не меньше ${least}.`],
  [/^'.+' must be at most (\S+)\.$/, (most) => `Не больше ${most}.`],
  [/^'.+' must be one of (.+?)(?:; did you mean .+\?)?\.?$/, (listed) => `Выберите одно из: ${listed}.`],
  [
    /^'.+' must have (exactly|at least|at most) (\d+); it has (\d+)\.$/,
    (how, count, has) => `Нужно ${HOW_MANY[how ?? ""]} ${count}; сейчас ${has}.`,
  ],
  [/^There is no parameter '(.+?)'\. .+$/, (name) => `Параметра «${name}» нет.`],
  // Rules between values.
  [/^Each of 'elements' needs a name of its own\.$/, () => "У каждого элемента должно быть своё имя."],
  [
    /^'startMs' and 'endMs' of an element are for its video; images have none\.$/,
    () => "Начало и конец задают только для видео элемента, не для изображений.",
  ],
  [
    /^The part of an element's video, from 'startMs' \(0\) to 'endMs' \(8000\), must last 3 to 8 seconds\.$/,
    () => "Отрывок видео элемента, от начала (0) до конца (8000 мс), должен длиться от 3 до 8 секунд.",
  ],
  [
    /^An element's video lasts at least 3 seconds, and as long as its endMs says\.$/,
    () => "Видео элемента длится не меньше 3 секунд и не меньше, чем указано в endMs.",
  ],
  [
    /^The video lasts (\S+) seconds; its part needs (\S+)\.$/,
    (lasts, needs) => `Видео длится ${seconds(lasts ?? "")}; для отрывка нужно ${seconds(needs ?? "")}.`,
  ],
  [/^'.+' cannot be given together with '.+'\.$/, () => "Эти параметры нельзя задать вместе."],
  [/^'.+' needs '(.+)' beside it\.$/, (others) => `Нужно задать и «${(others ?? "").replaceAll("' or '", "» или «")}».`],
  [
    /^'duration' must be at most (\d+) when characterOrientation is "image"\.$/,
    (most) => `Не больше ${seconds(most ?? "")}, когда ориентация персонажа «image».`,
  ],
  [
    /^The motion video lasts at most (\d+) seconds when characterOrientation is "image"\.$/,
    (most) => `Когда ориентация персонажа «image», видео с движением длится не больше ${seconds(most ?? "")}.`,
  ],
  [
    /^The video lasts (\S+) seconds; with characterOrientation "image" at most (\d+) are allowed\.$/,
    (lasts, most) => `Видео длится ${seconds(lasts ?? "")}; с ориентацией персонажа «image» можно не больше ${seconds(most ?? "")}.`,
  ],
  [
    /^The declared duration is at least the length of the motion video, rounded up\.$/,
    () => "Указанная длительность не меньше длины видео с движением, округлённой вверх.",
  ],
  [/^A video among 'imageUrls' cannot be given beside 'videoList'/, () => "Видео уже задано ниже: оставьте его в одном из двух полей."],
  [/^'imageUrls' takes one video at most\.$/, () => "Среди изображений может быть только одно видео."],
  [
    /^'imageUrls' takes one image only with multiShots: the first frame\.$/,
    () => "С несколькими планами изображение может быть одно: первый кадр.",
  ],
  [
    /^The shots of 'multiShots' must last as long together as the video \('duration'\), 3 to 15 seconds\.$/,
    () => "Планы вместе должны длиться столько же, сколько видео: от 3 до 15 секунд.",
  ],
  [/^'duration' must be "6" when resolution is "1080P"\.$/, () => "С разрешением 1080P длительность может быть только 6."],
  [
    /^'resolution' must be "1K" when aspectRatio is "auto", which it is when it is left out\.$/,
    () => "Когда соотношение сторон «auto» или не выбрано, разрешение может быть только 1K.",
  ],
  [
    /^'resolution' must be "1K" when aspectRatio is "5:4" or "4:5"\.$/,
    () => "С соотношением сторон 5:4 и 4:5 разрешение может быть только 1K.",
  ],
  [/^'resolution' must be "1K" or "2K" when aspectRatio is "1:1"\.$/, () => "С соотношением сторон 1:1 разрешение может быть 1K или 2K."],
  [
    /^Images, characters and videos may take (\d+) places together; a video takes (\d+)\.$/,
    (most, each) =>
      `Изображения, персонажи и видео вместе занимают не больше ${most} ${plural("ru", Number(most), { one: "места", other: "мест" })}; видео занимает ${each}.`,
  ],
  [/^'characterIds' takes at most (\d+) beside a video\.$/, (most) => `Рядом с видео персонажей может быть не больше ${most}.`],
  [
    /^'ends' of 'videoList' must be after 'start', by at most (\d+) seconds\.$/,
    (most) => `Конец отрывка должен быть позже начала, не больше чем на ${seconds(most ?? "")}.`,
  ],
  [
    /^'duration' must be at least as long as the part of the video in 'videoList', since the result is\.$/,
    () => "Длительность не может быть меньше отрывка видео: результат длится столько же.",
  ],
  [/^The part of a video ends before the video does\.$/, () => "Отрывок кончается не позже видео."],
  // Files.
  [
    /^'.+' last (\S+) seconds together; at most (\S+) are allowed\.$/,
    (last, most) => `Вместе ${seconds(last ?? "")}; можно не больше ${seconds(most ?? "")}.`,
  ],
  [
    /^The files last (\S+) seconds together; at most (\S+) are allowed\.$/,
    (last, most) => `Вместе ${seconds(last ?? "")}; можно не больше ${seconds(most ?? "")}.`,
  ],
  [/^The files have (\S+) MB together; at most (\S+) MB are allowed\.$/, (have, most) => `Вместе ${have} МБ; можно не больше ${most} МБ.`],
  [
    /^There are (\d+) files; (exactly|at least|at most) (\d+) (?:must|may) be given\.$/,
    (count, how, most) => `${files(count ?? "")}; нужно ${HOW_MANY[how ?? ""]} ${most}.`,
  ],
  [/^There are (\d+) files; (\d+) to (\d+) may be given\.$/, (count, from, to) => `${files(count ?? "")}; можно от ${from} до ${to}.`],
  [/^The file has (\S+) MB; at most (\S+) MB are allowed\.$/, (has, most) => `В файле ${has} МБ; можно не больше ${most} МБ.`],
  [
    /^This must be (.+?); the file is (.+?) \((.+)\)\.$/,
    (wanted, is, type) => `Нужно ${KINDS[wanted ?? ""]}, а это ${KINDS[is ?? ""]} (${type}).`,
  ],
  [/^This must be (.+?); the file .+\.$/, (wanted) => `Нужно ${KINDS[wanted ?? ""]}, а это другой файл.`],
  [/^The file is (.+?); allowed: (.+)\.$/, (is, allowed) => `Это ${is}; можно: ${allowed}.`],
  [
    /^The image moves: it has (\d+) frames\. Send a still one\.$/,
    (frames) => `Изображение движется (кадров: ${frames}). Нужно неподвижное.`,
  ],
  [/^It is (\S+) px; each side must have at least (\d+) px\.$/, (is, least) => `Размер ${is} пикс.; каждая сторона не меньше ${least}.`],
  [/^It is (\S+) px; each side must have at most (\d+) px\.$/, (is, most) => `Размер ${is} пикс.; каждая сторона не больше ${most}.`],
  [/^It is (\S+) px, (\d+) pixels in all; (.+)\.$/, (is, all, told) => `Размер ${is}, всего пикселей ${all}; ${range(told ?? "", "")}.`],
  [
    /^It is (\S+) px, a ratio of (\S+); (.+)\.$/,
    (is, ratio, told) => `Размер ${is} пикс., отношение сторон ${ratio}; ${range(told ?? "", "")}.`,
  ],
  [/^It lasts (\S+) seconds; (.+)\.$/, (lasts, told) => `Длится ${seconds(lasts ?? "")}; ${range(told ?? "", " с")}.`],
  [/^It has no measurable frame rate; (.+)\.$/, (told) => `Частоту кадров не удалось измерить; ${range(told ?? "", " кадров/с")}.`],
  [/^It has (\S+) frames per second; (.+)\.$/, (has, told) => `${has} кадров/с; ${range(told ?? "", " кадров/с")}.`],
  // Of another type than the field makes: a form cannot send it.
  [/^'.+' (?:must be|contains) .+\.$/, () => "Не то, что ожидается в этом поле."],
];

/** By the code, where the sentence has nothing to add that a customer could use. */
const BY_CODE: Readonly<Record<string, string>> = {
  blob_url: "Адрес blob: есть только в браузере, который его создал. Нужен открытый адрес http(s).",
  file_url: "Адрес file: указывает на ваш компьютер. Загрузите файл и вставьте адрес, который вернёт загрузка.",
  data_url: "Адреса data: не принимаются. Загрузите файл и вставьте адрес, который вернёт загрузка.",
  base64: "Файлы в base64 не принимаются. Загрузите файл и вставьте адрес, который вернёт загрузка.",
  raw_bytes: "Сами байты не принимаются. Загрузите файл и вставьте адрес, который вернёт загрузка.",
  relative_url: "Адрес неполный: он начинается с http:// или https://.",
  scheme: "Принимаются только адреса http:// и https://.",
  url_too_long: "Адрес длиннее 2048 символов.",
  url_characters: "В адресе пробел, управляющий символ или обратная косая черта. Закодируйте их.",
  not_a_url: "Это не адрес.",
  credentials: "В адресе есть имя или пароль. Пришлите его без них.",
  internal_name: "Такое имя бывает только в частной сети. Нужен открытый адрес.",
  host_name: "Имя сервера в адресе неправильное.",
  address_not_public: "Адрес ведёт не в открытую сеть.",
  port: "Порт не принимается: можно только 80 и 443.",
  file_not_found: "Файла по этому адресу нашего хранилища нет.",
  file_expired: "Срок хранения файла истёк, или его удалили. Загрузите его снова.",
  not_media: "Это не изображение, не видео и не звук известного вида.",
  unsupported: "Файлы этого вида здесь не измеряются.",
  truncated: "Файл обрывается: конца нет.",
  corrupt: "Файл повреждён: прочитать его нельзя.",
  lying: "Заголовок файла и его содержимое говорят разное.",
  too_many_pixels: "В изображении слишком много пикселей.",
  too_hard: "Файл слишком тяжело прочитать.",
  animated: "Изображение движется. Нужно неподвижное.",
  too_large: "Файл слишком большой.",
};

/** The API's own sentence where the page speaks English, and for what has no Russian sentence yet. */
export function mistakeSentence(language: Language, { code, message }: Told): string {
  if (language === "en") return message;
  return sayByPattern(PATTERNS, message) ?? BY_CODE[code] ?? message;
}
