/** Who may open an account, what they agree to, and whether their browser proves it is no robot. */
import { useState } from "react";
import type { ReactNode } from "react";
import { SIGN_UP_MODES } from "../../../../src/contract/enums/sign-up-mode.ts";
import type {
  ConsentWish,
  InstallationSettings,
} from "../../../../src/contract/panel/operator-settings.ts";
import { useFaults } from "../../i18n/use-faults.ts";
import { useWords } from "../../i18n/use-words.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { Form, useForm } from "../../ui/form.tsx";
import { MoneyField } from "../../ui/money-field.tsx";
import { Select } from "../../ui/select.tsx";
import { Switch } from "../../ui/switch.tsx";
import { TextArea } from "../../ui/text-area.tsx";
import { useInstallationTexts } from "./use-installation-texts.ts";
import { useSaveSettings } from "./use-settings.ts";

/** As the server takes them. */
const MOST_CONSENTS = 10;

export function SignUpForm({ shown }: { readonly shown: InstallationSettings }): ReactNode {
  const t = useInstallationTexts();
  const words = useWords();
  const faults = useFaults();
  const { save, busy, error } = useSaveSettings(shown);
  const { signUp } = shown.settings;
  const form = useForm({ ...signUp, domains: signUp.domains.join("\n") });
  const { mode, domains, captcha, trial } = form.values;
  const [consents, setConsents] = useState<readonly ConsentWish[]>(signUp.consents);
  return (
    <Form
      error={error}
      onSubmit={() =>
        save({
          signUp: { mode, domains: linesOf(domains), captcha, trial, consents: [...consents] },
        })
      }
    >
      <Select
        label={t.mode}
        hint={t.modeHints[mode]}
        options={SIGN_UP_MODES.map((value) => ({ value, label: t.modes[value] }))}
        {...form.of("mode")}
      />
      {mode === "domains" ? (
        <TextArea
          label={t.domains}
          hint={t.domainsHint}
          rows={3}
          required
          spellCheck={false}
          {...form.of("domains")}
          error={
            faults.ofField(error, "settings.signUp.domains") ??
            faults.ofField(error, "settings.signUp.domains[0]")
          }
        />
      ) : null}
      <Switch label={t.captcha} {...form.of("captcha")} checked={captcha} />
      <p className="field-hint">{t.captchaHint}</p>
      <MoneyField
        label={t.trial}
        hint={t.trialHint}
        required
        {...form.of("trial")}
        error={faults.ofField(error, "settings.signUp.trial")}
      />
      <fieldset className="settings-consents">
        <legend className="field-label">{t.consents}</legend>
        <p className="field-hint">{t.consentsHint}</p>
        {consents.map((consent, at) => (
          // Those that are new have no id yet, and none changes its place.
          <ConsentFields
            key={consent.consentId ?? `new ${at}`}
            consent={consent}
            onChange={(next) => setConsents(consents.with(at, next))}
            onRemove={() => setConsents(consents.toSpliced(at, 1))}
          />
        ))}
        {consents.length >= MOST_CONSENTS ? null : (
          <Button
            small
            icon="plus"
            onClick={() =>
              setConsents([...consents, { consentId: null, required: true, ru: "", en: "" }])
            }
          >
            {t.addConsent}
          </Button>
        )}
      </fieldset>
      <div className="form-actions">
        <Button look="primary" type="submit" busy={busy}>
          {words.save}
        </Button>
      </div>
    </Form>
  );
}

interface ConsentFieldsProps {
  readonly consent: ConsentWish;
  onChange(consent: ConsentWish): void;
  onRemove(): void;
}

function ConsentFields({ consent, onChange, onRemove }: ConsentFieldsProps): ReactNode {
  const t = useInstallationTexts();
  const words = useWords();
  return (
    <div className="settings-consent">
      {(["ru", "en"] as const).map((language) => (
        <TextArea
          key={language}
          label={t.consentText[language]}
          rows={2}
          maxLength={500}
          required
          value={consent[language]}
          onChange={(text) => onChange({ ...consent, [language]: text })}
        />
      ))}
      <div className="row">
        <Checkbox
          label={t.consentRequired}
          checked={consent.required}
          onChange={(required) => onChange({ ...consent, required })}
        />
        <Button look="ghost" small icon="trash" onClick={onRemove}>
          {words.delete}
        </Button>
      </div>
    </div>
  );
}

function linesOf(text: string): string[] {
  return text
    .split(/[\s,;]+/)
    .map((line) => line.replace(/^@/, ""))
    .filter((line) => line !== "");
}
