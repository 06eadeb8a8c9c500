/**
 * The log-in, as far as the session has come: e-mail and password, the code of the second factor, a
 * password of one's own, a second factor that the account wants.
 */
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useRouter, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { ReactNode } from "react";
import type { Session } from "../../../../src/contract/panel/sessions.ts";
import { sessionQuery, useSetSession } from "../../app/session.ts";
import { useLocale } from "../../i18n/locale.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { ChangeStep } from "./change-step.tsx";
import { CodeStep } from "./code-step.tsx";
import { EnrolStep } from "./enrol-step.tsx";
import { PasswordStep } from "./password-step.tsx";

export function Component(): ReactNode {
  const session = useQuery(sessionQuery);
  const setSession = useSetSession();
  const { setLanguage, language } = useLocale();
  const router = useRouter();
  const navigate = useNavigate();
  const { next } = useSearch({ strict: false });
  const stage = session.data?.member.stage;
  const [keepsCodes, setKeepsCodes] = useState(false);

  useEffect(() => {
    if (stage !== "full" || keepsCodes) return;
    // Only to a page of ours: an address that a stranger wrote into the link leads nowhere else.
    if (next !== undefined && /^\/(?![/\\])/.test(next))
      router.history.replace(next.startsWith("/panel") ? next : `/panel${next}`);
    else void navigate({ to: "/", search: {}, replace: true });
  }, [stage, keepsCodes, next, router, navigate]);

  // In this page's memory only, and only until a password of one's own is set: it is not asked for
  // twice.
  const [oneTime, setOneTime] = useState("");

  function take(begun: Session | null): void {
    if (
      begun !== null &&
      localStorage.getItem("tollgate.language") === null &&
      begun.member.language !== language
    )
      setLanguage(begun.member.language);
    setSession(begun);
  }

  function takePassword(begun: Session, password: string): void {
    const asksNoMore = begun.member.stage === "full" || begun.member.stage === "enrol";
    setOneTime(asksNoMore ? "" : password);
    take(begun);
  }

  return (
    <Loaded query={session}>
      {(known) => {
        if (known === null)
          return <PasswordStep onSession={takePassword} comesBack={next !== undefined} />;
        if (known.member.stage === "totp")
          return <CodeStep member={known.member} onSession={take} />;
        if (known.member.stage === "enrol" || keepsCodes)
          return <EnrolStep onSession={take} onCodes={setKeepsCodes} />;
        return known.member.stage === "password" ? (
          <ChangeStep onSession={take} oneTime={oneTime} />
        ) : null;
      }}
    </Loaded>
  );
}
