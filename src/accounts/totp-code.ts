/**
 * Codes of the second factor (RFC 6238): secrets are made here, and codes are compared with what an
 * app shows now.
 */
import { Secret, TOTP } from "otpauth";

const SECRET_BYTES = 20;
const PERIOD_SECONDS = 30;
/** Clocks of phones are a little off: the code before and the code after are taken too. */
const WINDOW = 1;

/** Base32, as people type it into an app. */
export function newTotpSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32;
}

/** `otpauth://totp/ISSUER:EMAIL?…`, for a QR code; `issuer`: what the app shows it under. */
export function totpUri(secret: string, email: string, issuer: string): string {
  return totpOf(secret, email, issuer).toString();
}

/** The period whose code this is, counted since 1970; null: it is none of those around `at`. */
export function totpStep(secret: string, code: string, at: Date): number | null {
  const delta = totpOf(secret, "", "").validate({
    token: code,
    timestamp: at.getTime(),
    window: WINDOW,
  });
  return delta === null ? null : Math.floor(at.getTime() / 1000 / PERIOD_SECONDS) + delta;
}

/** SHA-1, six digits, thirty seconds: what every app understands. */
function totpOf(secret: string, label: string, issuer: string): TOTP {
  return new TOTP({
    issuer,
    label,
    algorithm: "SHA1",
    digits: 6,
    period: PERIOD_SECONDS,
    secret: Secret.fromBase32(secret),
  });
}
