/** The texts of the chat in the language of the moment. */
import { useTexts } from "../../../i18n/locale.tsx";
import { playgroundChatEn } from "../../../i18n/texts/playground-chat.en.ts";
import { playgroundChatRu } from "../../../i18n/texts/playground-chat.ru.ts";
import type { PlaygroundChatTexts } from "../../../i18n/texts/playground-chat.ru.ts";

const TEXTS = { ru: playgroundChatRu, en: playgroundChatEn };

export function useChatTexts(): PlaygroundChatTexts {
  return useTexts(TEXTS);
}
