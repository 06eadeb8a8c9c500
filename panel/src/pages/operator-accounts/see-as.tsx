/** Opens the customer's own panel, to look at: both logs have it. */
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { ReactNode } from "react";
import type { OperatorAccountDetail } from "../../../../src/contract/panel/operator-accounts.ts";
import { postApi } from "../../api/call-api.ts";
import { tellOtherTabs } from "../../app/other-tabs.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { useAccountTexts } from "./use-account-texts.ts";

export function SeeAs({
  account: { accountId, name },
}: {
  readonly account: OperatorAccountDetail;
}): ReactNode {
  const t = useAccountTexts();
  const [open, setOpen] = useState(false);
  const beginning = useMutation({
    mutationFn: () => postApi("/operator/accounts/{id}/see-as", { params: { id: accountId } }),
    onSuccess() {
      tellOtherTabs("begun");
      // Anew: nothing of the operator's own stays in the page.
      location.assign("/panel/");
    },
  });
  return (
    <>
      <Button icon="eye" onClick={() => setOpen(true)}>
        {t.seeAs}
      </Button>
      <ConfirmDialog
        title={t.seeAsTitle(name)}
        description={t.seeAsText}
        action={t.seeAsDo}
        danger={false}
        open={open}
        onOpenChange={setOpen}
        onConfirm={() => beginning.mutate()}
        // Until the customer's panel is there.
        busy={beginning.isPending || beginning.isSuccess}
        error={beginning.error}
      />
    </>
  );
}
