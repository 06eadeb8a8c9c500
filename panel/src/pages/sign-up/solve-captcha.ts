/** Does what the server asks of a browser before a sign-up: about a second of work. */
import { solveChallenge } from "altcha-lib";
import { deriveKey } from "altcha-lib/algorithms/web/pbkdf2";
import type { CaptchaAnswer } from "../../../../src/contract/panel/sessions.ts";
import { postApi } from "../../api/call-api.ts";

/** Throws where the browser has no cryptography (a page without TLS) or gave up. */
export async function solveCaptcha(): Promise<CaptchaAnswer> {
  const challenge = await postApi("/sign-up/captcha");
  const solution = await solveChallenge({
    challenge: challenge as unknown as Parameters<typeof solveChallenge>[0]["challenge"],
    deriveKey,
  });
  if (solution === null) throw new Error("the browser gave up");
  const { counter, derivedKey } = solution;
  return { challenge, solution: { counter, derivedKey } };
}
