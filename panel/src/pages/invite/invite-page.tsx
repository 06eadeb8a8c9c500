/**
 * Where the link of an invitation leads: which account invites, as what, and the password with
 * which its guest comes in.
 */
import { skipToken, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ApiError } from "../../api/api-error.ts";
import { postApi } from "../../api/call-api.ts";
import { useConsents } from "../../app/consent-boxes.tsx";
import { OutsideDone } from "../../app/outside-done.tsx";
import { TokenPasswordForm } from "../../app/token-password-form.tsx";
import { useAuthTexts } from "../../app/use-auth-texts.ts";
import { useTexts } from "../../i18n/locale.tsx";
import { settingsEn } from "../../i18n/texts/settings.en.ts";
import { settingsRu } from "../../i18n/texts/settings.ru.ts";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Facts } from "../../ui/stat.tsx";
import { useLinkToken } from "../../ui/use-link-token.ts";

/** Of the roles only: they are called here as on the page of the members. */
const SETTINGS = { ru: settingsRu, en: settingsEn };

export function Component(): ReactNode {
  const t = useAuthTexts();
  const { roles, roleHints } = useTexts(SETTINGS);
  const consents = useConsents();
  const token = useLinkToken();
  const { data, error, isPending } = useQuery({
    // Without the token: it is kept in no cache.
    queryKey: ["invitation"],
    staleTime: "static",
    queryFn: token === null ? skipToken : () => postApi("/members/invitation", { body: { token } }),
  });
  if (error instanceof ApiError && error.code === "gone")
    return <OutsideDone title={t.inviteTitle} text={t.inviteGone} />;
  return (
    <TokenPasswordForm
      token={token}
      path="/members/accept"
      title={t.inviteTitle}
      lead={t.inviteLead}
      action={t.accept}
      done={t.accepted}
      gone={t.inviteGone}
      consents={consents}
    >
      {isPending ? <Skeleton /> : null}
      {data === undefined ? null : (
        <Facts
          items={[
            [t.inviteAccount, <strong key="account">{data.accountName}</strong>],
            [
              t.inviteRole,
              <span key="role">
                {roles[data.role]} <span className="quiet small">({roleHints[data.role]})</span>
              </span>,
            ],
          ]}
        />
      )}
    </TokenPasswordForm>
  );
}
