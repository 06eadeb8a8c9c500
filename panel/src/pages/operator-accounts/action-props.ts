/** What every dialog about an account is given. */
import type { OperatorAccountDetail } from "../../../../src/contract/panel/operator-accounts.ts";

export interface ActionProps {
  readonly account: OperatorAccountDetail;
  close(): void;
}
