/**
 * Over a page whose session has ended: the same person logs in, and goes on with what they were
 * filling in.
 */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ReactNode } from "react";
import type { Session } from "../../../src/contract/panel/sessions.ts";
import { Dialog } from "../ui/dialog.tsx";
import { CodeForm } from "./code-form.tsx";
import { LogInForm } from "./log-in-form.tsx";
import { useSession, useSetSession } from "./session.ts";
import { useAuthTexts } from "./use-auth-texts.ts";

/** @param left by a log-out in another tab, and nothing of the page is in sight. */
export function LogInAgain({ left }: { readonly left: boolean }): ReactNode {
  const t = useAuthTexts();
  const client = useQueryClient();
  const { member } = useSession();
  const setSession = useSetSession();
  const [coded, setCoded] = useState<Session["member"] | null>(null);

  function take(session: Session): void {
    if (session.member.stage === "totp") {
      setCoded(session.member);
    } else if (session.member.stage === "full" && session.member.memberId === member.memberId) {
      setSession(session);
      // What could not be read meanwhile.
      void client.invalidateQueries();
    } else {
      // Nothing on this page is theirs, or something else comes first.
      location.reload();
    }
  }

  return (
    <Dialog
      title={coded === null ? t.logInTitle : coded.totp ? t.totpTitle : t.passkeyTitle}
      description={
        coded !== null
          ? coded.totp
            ? t.totpLead
            : t.passkeyLead
          : left
            ? t.logInBack
            : t.logInAgain
      }
      open
      insists
      alone
    >
      {coded === null ? (
        <LogInForm onSession={take} only={member.email} />
      ) : (
        <CodeForm onSession={take} passkeys={coded.passkeys} />
      )}
      {/* Anew: nothing of this account is left in the browser's memory then. */}
      <a href="/panel/log-in">{t.otherAccount}</a>
    </Dialog>
  );
}
