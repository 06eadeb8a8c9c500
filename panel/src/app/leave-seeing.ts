/** Back from a customer's panel to the operator's own. */
import { postApi } from "../api/call-api.ts";
import { tellOtherTabs } from "./other-tabs.ts";

/**
 * Loads the panel anew: nothing of the customer stays in the browser's memory. Twice is as good as
 * once, where several answers say that it is over.
 * @param accountId whose page is gone back to; null: it is not known.
 */
export async function leaveSeeing(accountId: string | null): Promise<void> {
  await postApi("/see-as/leave");
  tellOtherTabs("begun");
  location.assign(accountId === null ? "/panel/" : `/panel/operator/accounts/${accountId}`);
}
