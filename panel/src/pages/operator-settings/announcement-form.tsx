/** What all customers are told over every page, in both languages, and until when. */
import type { ReactNode } from "react";
import type { InstallationSettings } from "../../../../src/contract/panel/operator-settings.ts";
import { useFaults } from "../../i18n/use-faults.ts";
import { useWords } from "../../i18n/use-words.ts";
import { Button } from "../../ui/button.tsx";
import { DateTimeField } from "../../ui/date-field.tsx";
import { Form, useForm } from "../../ui/form.tsx";
import { TextArea } from "../../ui/text-area.tsx";
import { useInstallationTexts } from "./use-installation-texts.ts";
import { useSaveSettings } from "./use-settings.ts";

export function AnnouncementForm({ shown }: { readonly shown: InstallationSettings }): ReactNode {
  const t = useInstallationTexts();
  const words = useWords();
  const faults = useFaults();
  const { save, busy, error } = useSaveSettings(shown);
  const { announcement } = shown.settings;
  const form = useForm(announcement);
  const { ru, en, until } = form.values;
  const none = announcement.until === null;
  return (
    <Form error={error} onSubmit={() => save({ announcement: { ru, en, until } })}>
      {(["ru", "en"] as const).map((language) => (
        <TextArea
          key={language}
          label={t.consentText[language]}
          rows={2}
          maxLength={500}
          {...form.of(language)}
        />
      ))}
      <DateTimeField
        label={t.until}
        {...form.of("until")}
        error={faults.ofField(error, "settings.announcement.until")}
      />
      <div className="form-actions">
        <Button look="primary" type="submit" busy={busy}>
          {words.save}
        </Button>
        {none ? null : (
          <Button
            look="ghost"
            onClick={() => save({ announcement: { ru: "", en: "", until: null } })}
          >
            {t.takeDown}
          </Button>
        )}
      </div>
    </Form>
  );
}
