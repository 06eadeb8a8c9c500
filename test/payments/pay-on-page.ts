/** What a payer does on the sandbox's payment page. */
import assert from "node:assert/strict";

/** Answers with where the browser is sent. */
export async function payOnPage(
  redirectUrl: string,
  act: "pay" | "fail" | "cancel" | "refund",
): Promise<string | null> {
  const answer = await fetch(redirectUrl, {
    method: "POST",
    body: new URLSearchParams({ do: act }),
    redirect: "manual",
  });
  assert.equal(answer.status, 303);
  return answer.headers.get("location");
}
