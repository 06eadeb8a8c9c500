/**
 * Before anything else: a second factor, because the account wants one of all. Its recovery codes are
 * shown once, and the session is whole when they were kept.
 */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ReactNode } from "react";
import type { Session } from "../../../../src/contract/panel/sessions.ts";
import { postApi } from "../../api/call-api.ts";
import { ConfirmTotp } from "../../app/confirm-totp.tsx";
import { sessionQuery } from "../../app/session.ts";
import { useAuthTexts } from "../../app/use-auth-texts.ts";
import { useTexts } from "../../i18n/locale.tsx";
import { settingsEn } from "../../i18n/texts/settings.en.ts";
import { settingsRu } from "../../i18n/texts/settings.ru.ts";
import { useFaults } from "../../i18n/use-faults.ts";
import { Button } from "../../ui/button.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { PageHead } from "../../ui/page-head.tsx";

const SETTINGS = { ru: settingsRu, en: settingsEn };

interface EnrolStepProps {
  onSession(session: Session | null): void;
  /** Whether codes are in sight that are shown this once: nothing may take the page away. */
  onCodes(shown: boolean): void;
}

export function EnrolStep({ onSession, onCodes }: EnrolStepProps): ReactNode {
  const t = useAuthTexts();
  const ofTotp = useTexts(SETTINGS);
  const faults = useFaults();
  const client = useQueryClient();
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const begin = useMutation({ mutationFn: () => postApi("/totp/begin") });
  const leave = useMutation({
    mutationFn: () => postApi("/log-out"),
    onSettled: () => onSession(null),
  });
  if (codes !== null)
    return (
      <>
        <PageHead title={ofTotp.recoveryTitle} lead={ofTotp.recoveryText} />
        <CodeBlock label={ofTotp.recoveryTitle} code={codes.join("\n")} />
        <Button
          look="primary"
          className="button-wide"
          onClick={() => {
            onCodes(false);
            void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
          }}
        >
          {ofTotp.recoveryKept}
        </Button>
      </>
    );
  return (
    <>
      <PageHead title={t.enrolTitle} lead={t.enrolLead} />
      {begin.error === null ? null : (
        <p className="banner banner-danger" role="alert">
          {faults.sentence(begin.error)}
        </p>
      )}
      {begin.data === undefined ? (
        <Button
          look="primary"
          className="button-wide"
          busy={begin.isPending}
          onClick={() => begin.mutate()}
        >
          {ofTotp.totpBegin}
        </Button>
      ) : (
        <>
          <p className="quiet">{ofTotp.totpScan}</p>
          <ConfirmTotp
            secret={begin.data}
            onCodes={(made) => {
              onCodes(true);
              setCodes(made);
            }}
          />
        </>
      )}
      <Button look="ghost" onClick={() => leave.mutate()}>
        {t.otherAccount}
      </Button>
    </>
  );
}
