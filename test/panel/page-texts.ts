/**
 * What the panel's pages say, in both languages, for tests that read and press as a person does.
 */
import { authEn } from "../../panel/src/i18n/texts/auth.en.ts";
import { authRu } from "../../panel/src/i18n/texts/auth.ru.ts";
import { billingEn } from "../../panel/src/i18n/texts/billing.en.ts";
import { billingRu } from "../../panel/src/i18n/texts/billing.ru.ts";
import { keysEn } from "../../panel/src/i18n/texts/keys.en.ts";
import { keysRu } from "../../panel/src/i18n/texts/keys.ru.ts";
import { overviewEn } from "../../panel/src/i18n/texts/overview.en.ts";
import { overviewRu } from "../../panel/src/i18n/texts/overview.ru.ts";
import { playgroundEn } from "../../panel/src/i18n/texts/playground.en.ts";
import { playgroundRu } from "../../panel/src/i18n/texts/playground.ru.ts";
import { requestsEn } from "../../panel/src/i18n/texts/requests.en.ts";
import { requestsRu } from "../../panel/src/i18n/texts/requests.ru.ts";
import { shellEn } from "../../panel/src/i18n/texts/shell.en.ts";
import { shellRu } from "../../panel/src/i18n/texts/shell.ru.ts";
import { tasksEn } from "../../panel/src/i18n/texts/tasks.en.ts";
import { tasksRu } from "../../panel/src/i18n/texts/tasks.ru.ts";
import { wordsEn } from "../../panel/src/i18n/texts/words.en.ts";
import { wordsRu } from "../../panel/src/i18n/texts/words.ru.ts";

const ru = {
  auth: authRu,
  billing: billingRu,
  keys: keysRu,
  overview: overviewRu,
  playground: playgroundRu,
  requests: requestsRu,
  shell: shellRu,
  tasks: tasksRu,
  words: wordsRu,
};
const en: typeof ru = {
  auth: authEn,
  billing: billingEn,
  keys: keysEn,
  overview: overviewEn,
  playground: playgroundEn,
  requests: requestsEn,
  shell: shellEn,
  tasks: tasksEn,
  words: wordsEn,
};

export type PageTexts = typeof ru;

export const PAGE_TEXTS: Readonly<Record<"ru" | "en", PageTexts>> = { ru, en };
