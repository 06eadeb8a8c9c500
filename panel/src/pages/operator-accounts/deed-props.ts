/** What every dialog about an account is given. */
import type { OperatorAccountDetail } from "../../../../src/contract/panel/operator-accounts.ts";

export interface DeedProps {
  readonly account: OperatorAccountDetail;
  close(): void;
}
