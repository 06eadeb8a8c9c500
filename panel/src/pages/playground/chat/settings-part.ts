/** What a part of the settings of a chat is given. */
import type { ChatSettings } from "./chat-settings.ts";

export interface SettingsPartProps {
  readonly settings: ChatSettings;
  change(settings: Partial<ChatSettings>): void;
}
