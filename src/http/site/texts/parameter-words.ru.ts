/** What a parameter of a task allows, in Russian; `span` is «до 5», «от 3» or «от 3 до 5». */

export const parameterWordsRu = {
  kinds: { image: "изображение", video: "видео", audio: "звук" },
  from: (least: string) => `от ${least}`,
  to: (most: string) => `до ${most}`,
  between: (least: string, most: string) => `от ${least} до ${most}`,
  characters: (span: string) => `${span} символов`,
  items: (span: string) => `в списке ${span}`,
  megabytes: (most: string) => `до ${most} МБ`,
  seconds: (span: string) => `${span} секунд`,
  together: (most: string) => `вместе до ${most} секунд`,
  sides: (span: string) => `каждая сторона ${span} px`,
  pixels: (span: string) => `${span} пикселей`,
  aspect: (span: string) => `ширина к высоте ${span}`,
  frames: (span: string) => `${span} кадров в секунду`,
  alone: (words: string) => `если файл один: ${words}`,
  byDefault: (value: string) => `по умолчанию ${value}`,
};

export type ParameterWords = typeof parameterWordsRu;
