/** Passwords that members choose: refused with a reason that the person can act on. */
import { passwordMistake } from "../../accounts/password-rules.ts";
import { Fault } from "../../kernel/faults.ts";

/** @param param of the body. Throws Fault("invalid_request"). */
export function checkNewPassword(password: string, email: string, param = "password"): void {
  const mistake = passwordMistake(password, email);
  if (mistake !== null) throw new Fault("invalid_request", { ...mistake, param });
}
