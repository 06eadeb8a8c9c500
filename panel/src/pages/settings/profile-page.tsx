/** Settings of one's own: name, language, time zone, theme. */
import { useMutation } from "@tanstack/react-query";
import { useMemo } from "react";
import type { ReactNode } from "react";
import { LANGUAGES } from "../../../../src/contract/enums/language.ts";
import type { ProfileBody } from "../../../../src/contract/panel/sessions.ts";
import { postApi } from "../../api/call-api.ts";
import { useSession, useSetSession } from "../../app/session.ts";
import { THEMES, useTheme } from "../../app/theme.ts";
import { useShell } from "../../app/use-shell.ts";
import { useLocale } from "../../i18n/locale.tsx";
import { useWords } from "../../i18n/use-words.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Form, useForm } from "../../ui/form.tsx";
import { Select } from "../../ui/select.tsx";
import { Facts } from "../../ui/stat.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { SettingsHead } from "./settings-head.tsx";
import { useSettingsTexts } from "./use-settings-texts.ts";

export function Component(): ReactNode {
  const t = useSettingsTexts();
  const shell = useShell();
  const words = useWords();
  const toasts = useToasts();
  const { member, account } = useSession();
  const setSession = useSetSession();
  const { setLanguage } = useLocale();
  const [theme, setTheme] = useTheme();
  const save = useMutation({
    mutationFn: (body: ProfileBody) => postApi("/profile", { body }),
    onSuccess(session) {
      setSession(session);
      setLanguage(session.member.language);
      toasts.done(words.saved);
    },
  });
  const form = useForm(
    { name: member.name ?? "", language: member.language, timezone: member.timezone },
    save.error,
  );
  const zones = useMemo(
    () =>
      [...new Set(["Europe/Moscow", ...Intl.supportedValuesOf("timeZone"), "UTC"])].map((zone) => ({
        value: zone,
        label: zone.replaceAll("_", " "),
      })),
    [],
  );
  return (
    <>
      <SettingsHead page="profile" lead={t.profileLead} />
      <div className="columns">
        <Card>
          <Form
            onSubmit={() => {
              const { name, ...rest } = form.values;
              save.mutate({ ...rest, ...(name.trim() === "" ? {} : { name: name.trim() }) });
            }}
            error={save.error}
          >
            <TextField
              label={t.name}
              hint={t.nameHint}
              name="name"
              autoComplete="name"
              maxLength={200}
              optional
              {...form.of("name")}
            />
            <Select
              label={t.language}
              hint={t.languageHint}
              options={LANGUAGES.map((value) => ({ value, label: t.languages[value] }))}
              {...form.of("language")}
            />
            <Select
              label={t.timeZone}
              hint={t.timeZoneHint}
              options={zones}
              {...form.of("timezone")}
            />
            <div className="form-actions">
              <Button look="primary" type="submit" busy={save.isPending}>
                {words.save}
              </Button>
            </div>
          </Form>
        </Card>
        <div className="stack">
          <Card>
            <Facts
              items={[
                [t.email, member.email],
                [shell.account, account.name],
                [t.role, t.roles[member.role]],
              ]}
            />
          </Card>
          <Card>
            <Select
              label={t.theme}
              hint={t.themeHint}
              value={theme}
              onChange={setTheme}
              options={THEMES.map((value) => ({ value, label: shell.themes[value] }))}
            />
          </Card>
        </div>
      </div>
    </>
  );
}
