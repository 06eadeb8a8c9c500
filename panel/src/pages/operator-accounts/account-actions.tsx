/**
 * What an operator may do to an account: each in a dialog of its own that says first what will come
 * of it.
 */
import { useState } from "react";
import type { ReactNode } from "react";
import type { OperatorAccountDetail } from "../../../../src/contract/panel/operator-accounts.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { BlockForm } from "./block-form.tsx";
import type { ActionProps } from "./action-props.ts";
import { LimitsForm } from "./limits-form.tsx";
import { MoneyForm } from "./money-form.tsx";
import { SeeAs } from "./see-as.tsx";
import { useAccountTexts } from "./use-account-texts.ts";

type ActionName = "credit" | "adjust" | "block" | "limits";

export function AccountActions({
  account,
}: {
  readonly account: OperatorAccountDetail;
}): ReactNode {
  const t = useAccountTexts();
  const [open, setOpen] = useState<ActionName | null>(null);
  const of = (name: ActionName) => ({
    open: open === name,
    onOpenChange: (next: boolean) => setOpen(next ? name : null),
  });
  const props: ActionProps = { account, close: () => setOpen(null) };
  const { name } = account;
  const isBlocked = account.blocked !== null;
  return (
    <>
      <Button look="primary" icon="plus" onClick={() => setOpen("credit")}>
        {t.credit}
      </Button>
      <Button onClick={() => setOpen("adjust")}>{t.adjust}</Button>
      <Button onClick={() => setOpen("limits")}>{t.changeLimits}</Button>
      <SeeAs account={account} />
      <Button look={isBlocked ? "secondary" : "danger"} onClick={() => setOpen("block")}>
        {isBlocked ? t.unblock : t.block}
      </Button>
      <Dialog title={`${t.credit}: ${name}`} description={t.creditText} {...of("credit")}>
        <MoneyForm kind="credit" {...props} />
      </Dialog>
      <Dialog title={`${t.adjust}: ${name}`} description={t.adjustText} {...of("adjust")}>
        <MoneyForm kind="adjust" {...props} />
      </Dialog>
      <Dialog title={`${t.changeLimits}: ${name}`} description={t.limitsText} {...of("limits")}>
        <LimitsForm {...props} />
      </Dialog>
      <Dialog
        title={isBlocked ? t.unblockTitle(name) : t.blockTitle(name)}
        description={isBlocked ? t.unblockText : t.blockText}
        {...of("block")}
      >
        <BlockForm {...props} />
      </Dialog>
    </>
  );
}
