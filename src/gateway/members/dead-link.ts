/** What is said of every link that does nothing, whatever the reason. */
import { Fault } from "../../kernel/faults.ts";

export function deadLink(): Fault {
  return new Fault("gone", { message: "This link is too old, or it was used already. Ask for a new one.", param: "token" });
}
