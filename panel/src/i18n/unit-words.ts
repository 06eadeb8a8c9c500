/** What a price is for one of, by the words of the API: after "за" and "per". */

type UnitWords = Readonly<Record<string, string>>;

export const unitWordsRu: UnitWords = {
  second: "секунду",
  image: "изображение",
  video: "видео",
  minute: "минуту",
  character: "символ",
  request: "запрос",
  "1M tokens": "1 млн токенов",
  "1M characters": "1 млн символов",
  "1K documents": "1000 документов",
};

export const unitWordsEn: UnitWords = {
  second: "second",
  image: "image",
  video: "video",
  minute: "minute",
  character: "character",
  request: "request",
  "1M tokens": "1M tokens",
  "1M characters": "1M characters",
  "1K documents": "1,000 documents",
};
