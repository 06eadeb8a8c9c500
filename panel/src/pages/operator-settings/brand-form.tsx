/** Name, pictures, colour, and where people find terms and help. */
import type { ReactNode } from "react";
import type {
  InstallationSettings,
  Settings,
} from "../../../../src/contract/panel/operator-settings.ts";
import { useFaults } from "../../i18n/use-faults.ts";
import { useWords } from "../../i18n/use-words.ts";
import { Button } from "../../ui/button.tsx";
import { Form, useForm } from "../../ui/form.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { PictureField } from "./picture-field.tsx";
import { useInstallationTexts } from "./use-installation-texts.ts";
import { useSaveSettings } from "./use-settings.ts";
import { useTint } from "./use-tint.ts";

type Brand = Settings["brand"];
type Line = Exclude<keyof Brand, "logo" | "favicon">;

export function BrandForm({ shown }: { readonly shown: InstallationSettings }): ReactNode {
  const t = useInstallationTexts();
  const words = useWords();
  const faults = useFaults();
  const { save, busy, error } = useSaveSettings(shown);
  const { brand } = shown.settings;
  const form = useForm({
    name: brand.name,
    colour: brand.colour ?? "",
    support: brand.support ?? "",
    terms: brand.terms ?? "",
    privacy: brand.privacy ?? "",
    mailSender: brand.mailSender ?? "",
    logo: brand.logo,
    favicon: brand.favicon,
  });
  const { values } = form;
  useTint(values.colour);
  const line = (name: Line) => ({
    label: t.fields[name],
    hint: t.hints[name],
    name,
    ...form.of(name),
    error: faults.ofField(error, `settings.brand.${name}`),
  });
  return (
    <Form
      error={error}
      onSubmit={() =>
        save({
          brand: {
            name: values.name,
            logo: values.logo,
            favicon: values.favicon,
            colour: orNull(values.colour),
            support: orNull(values.support),
            terms: orNull(values.terms),
            privacy: orNull(values.privacy),
            mailSender: orNull(values.mailSender),
          },
        })
      }
    >
      <TextField {...line("name")} required maxLength={60} autoComplete="off" />
      <PictureField use="logo" label={t.logo} hint={t.logoHint} {...form.of("logo")} />
      <PictureField use="favicon" label={t.favicon} hint={t.faviconHint} {...form.of("favicon")} />
      <div className="settings-colour">
        <TextField
          {...line("colour")}
          optional
          maxLength={7}
          pattern="#[0-9a-fA-F]{6}"
          placeholder="#0f766e"
          spellCheck={false}
        />
        <input
          type="color"
          aria-label={t.pickColour}
          value={/^#[0-9a-f]{6}$/i.test(values.colour) ? values.colour : "#0f766e"}
          onChange={(event) => form.set("colour", event.target.value)}
        />
      </div>
      <TextField {...line("support")} optional maxLength={254} autoComplete="off" />
      <TextField {...line("terms")} optional type="url" maxLength={500} />
      <TextField {...line("privacy")} optional type="url" maxLength={500} />
      <TextField {...line("mailSender")} optional maxLength={100} autoComplete="off" />
      <div className="form-actions">
        <Button look="primary" type="submit" busy={busy}>
          {words.save}
        </Button>
      </div>
    </Form>
  );
}

function orNull(text: string): string | null {
  return text.trim() === "" ? null : text.trim();
}
