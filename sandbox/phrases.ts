/** The sandbox's few sentences, in the languages it can tell apart by their script. */

export interface Phrases {
  greeting(model: string): string;
  quote(text: string): string;
  readonly noText: string;
  images(count: number): string;
  instructions(text: string): string;
  result(tool: string, text: string): string;
  failure(tool: string, text: string): string;
  variant(number: number): string;
  readonly reasoning: string;
  readonly refusal: string;
}

const ENGLISH: Phrases = {
  greeting: (model) => `Hello! I am ${model}, a sandbox model.`,
  quote: (text) => `You wrote: “${text}”.`,
  noText: "Your message has no text.",
  images: (count) => `Images I was shown: ${count}.`,
  instructions: (text) => `My instructions say: “${text}”.`,
  result: (tool, text) => `The tool ${tool} answered: “${text}”.`,
  failure: (tool, text) => `The tool ${tool} failed: “${text}”.`,
  variant: (number) => `This is answer number ${number}.`,
  reasoning:
    "The user sent me a message. I am a sandbox, so I will greet them and repeat what they wrote.",
  refusal: "I can't help with that: the request asked the sandbox to refuse.",
};

const RUSSIAN: Phrases = {
  greeting: (model) => `Здравствуйте! Я ${model}, модель песочницы.`,
  quote: (text) => `Вы написали: «${text}».`,
  noText: "В вашем сообщении нет текста.",
  images: (count) => `Мне показали картинок: ${count}.`,
  instructions: (text) => `Мои указания: «${text}».`,
  result: (tool, text) => `Инструмент ${tool} ответил: «${text}».`,
  failure: (tool, text) => `Инструмент ${tool} не справился: «${text}».`,
  variant: (number) => `Это ответ номер ${number}.`,
  reasoning:
    "Пользователь прислал мне сообщение. Я песочница, поэтому поздороваюсь и повторю то, что он написал.",
  refusal: "С этим помочь не могу: запрос велел песочнице отказать.",
};

const CHINESE: Phrases = {
  greeting: (model) => `你好！我是沙盒模型 ${model}。`,
  quote: (text) => `你写道：“${text}”。`,
  noText: "你的消息里没有文字。",
  images: (count) => `我看到的图片数：${count}。`,
  instructions: (text) => `我的指示是：“${text}”。`,
  result: (tool, text) => `工具 ${tool} 回答：“${text}”。`,
  failure: (tool, text) => `工具 ${tool} 失败：“${text}”。`,
  variant: (number) => `这是第 ${number} 个回答。`,
  reasoning: "用户给我发了一条消息。我是沙盒，所以我会问好并重复他写的内容。",
  refusal: "我无法帮忙：请求要求沙盒拒绝。",
};

/**
 * Counts letters by script; text without letters, and every other script, is answered in English.
 */
export function phrasesFor(text: string): Phrases {
  const sample = text.slice(0, 4000);
  const letters = (script: RegExp): number => sample.match(script)?.length ?? 0;
  const cyrillic = letters(/\p{Script=Cyrillic}/gu);
  const han = letters(/\p{Script=Han}/gu) * 3; // one character says about as much as three letters
  const latin = letters(/\p{Script=Latin}/gu);
  if (cyrillic > latin && cyrillic >= han) return RUSSIAN;
  return han > latin ? CHINESE : ENGLISH;
}
