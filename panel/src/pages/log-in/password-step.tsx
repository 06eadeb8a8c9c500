/** The first step of a log-in: e-mail and password. */
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Session } from "../../../../src/contract/panel/sessions.ts";
import { useInstallation } from "../../api/installation.ts";
import { LogInForm } from "../../app/log-in-form.tsx";
import { useAuthTexts } from "../../app/use-auth-texts.ts";
import { PageHead } from "../../ui/page-head.tsx";

interface PasswordStepProps {
  onSession(session: Session, password: string): void;
  /** From a page inside, whose session is over or never began. */
  readonly comesBack: boolean;
}

export function PasswordStep({ onSession, comesBack }: PasswordStepProps): ReactNode {
  const t = useAuthTexts();
  const { mode } = useInstallation().signUp;
  return (
    <>
      <PageHead title={t.logInTitle} lead={comesBack ? t.logInToGoOn : undefined} />
      <LogInForm onSession={onSession} />
      <p className="outside-links">
        <Link to="/forgot">{t.forgotLink}</Link>
        {mode === "closed" ? null : (
          <span>
            <span className="quiet">{t.noAccount}</span> <Link to="/sign-up">{t.signUpLink}</Link>
          </span>
        )}
      </p>
    </>
  );
}
