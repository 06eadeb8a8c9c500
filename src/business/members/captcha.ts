/**
 * A proof of work that a browser does before a sign-up: about a second for a person, a bill for whom
 * signs up by the thousand. No other server is asked, and each proof is good once.
 */
import { createChallenge, randomInt, verifySolution } from "altcha-lib";
import { deriveKey } from "altcha-lib/algorithms/pbkdf2";
import type { CaptchaAnswer, CaptchaChallenge } from "../../contract/panel/sessions.ts";
import { sayRefusal } from "../../contract/sentences/say-refusal.ts";
import type { Clock } from "../../kernel/clock.ts";
import { Fault } from "../../kernel/faults.ts";
import type { TokenHash } from "../../kernel/opaque-token.ts";
import type { Throttle } from "./throttle.ts";

interface CaptchaDeps {
  readonly clock: Clock;
  readonly hashToken: TokenHash;
  readonly throttle: Throttle;
}

/** Iterations of one derivation, and how many of those a browser has to try. */
const COST = 1_000;
const TRIES = { least: 500, most: 1_500 };
/** Shorter than the throttle remembers a proof. */
const LIFE_MS = 10 * 60_000;

export async function newCaptcha({
  clock,
  hashToken,
}: Pick<CaptchaDeps, "clock" | "hashToken">): Promise<CaptchaChallenge> {
  const { parameters, signature } = await createChallenge({
    algorithm: "PBKDF2/SHA-256",
    cost: COST,
    counter: randomInt(TRIES.most, TRIES.least),
    expiresAt: new Date(clock.now().getTime() + LIFE_MS),
    deriveKey,
    ...secretsOf(hashToken),
  });
  if (signature === undefined) throw new Error("the challenge has no signature");
  return { parameters: { ...parameters }, signature };
}

/** Throws Fault("invalid_request") for no proof, a wrong one, one that is too old or was used. */
export async function checkCaptcha(
  { hashToken, throttle }: CaptchaDeps,
  answer: CaptchaAnswer | null,
): Promise<void> {
  if (answer === null)
    throw new Fault("invalid_request", { ...sayRefusal("captcha_needed"), param: "captcha" });
  const { challenge, solution } = answer;
  const { verified } = await verifySolution({
    // Whatever stands in it was signed by us, or is refused for that.
    challenge: challenge as unknown as Parameters<typeof verifySolution>[0]["challenge"],
    solution,
    deriveKey,
    ...secretsOf(hashToken),
  });
  if (verified && (await throttle.tryTake({ kind: "captcha", whom: challenge.signature }))) return;
  throw new Fault("invalid_request", { ...sayRefusal("captcha_wrong"), param: "captcha" });
}

function secretsOf(hashToken: TokenHash) {
  return {
    hmacSignatureSecret: hashToken("captcha", "challenge").toString("hex"),
    // With it a proof is held against a signature, and nothing is derived anew.
    hmacKeySignatureSecret: hashToken("captcha", "key").toString("hex"),
  };
}
