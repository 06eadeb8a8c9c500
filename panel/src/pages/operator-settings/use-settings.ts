/** Saves one part of what is decided about the installation, on top of the version that is shown. */
import type {
  InstallationSettings,
  SettingsWish,
} from "../../../../src/contract/panel/operator-settings.ts";
import { useAction } from "../../api/operator.ts";
import { useWords } from "../../i18n/use-words.ts";
import { useToasts } from "../../ui/toast.tsx";

export interface SaveSettings {
  save(part: Partial<SettingsWish>): void;
  readonly busy: boolean;
  readonly error: unknown;
}

export function useSaveSettings({ version, settings }: InstallationSettings): SaveSettings {
  const toasts = useToasts();
  const words = useWords();
  const { send, busy, error } = useAction("/operator/settings", {}, () => toasts.done(words.saved));
  return {
    busy,
    error,
    save: (part) => send({ expectedVersion: version, settings: { ...settings, ...part } }),
  };
}
