/** What is said of every link that does nothing, whatever the reason. */
import { Fault } from "../../kernel/faults.ts";

export function deadLink(): Fault {
  return new Fault("gone", {
    message:
      "This link is too old, it was used already, or a newer one was sent. Ask for a new one.",
    param: "token",
  });
}
