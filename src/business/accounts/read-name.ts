/**
 * Names that people give to things: shown in lists and logs, so short, on one line, and not empty.
 */
import { sayRefusal } from "../../contract/sentences/say-refusal.ts";
import { Fault } from "../../kernel/faults.ts";

/**
 * The name without spaces around it. Throws Fault("invalid_request") when it is empty, too long, or
 * has control characters.
 */
export function readName(text: string, longest: number): string {
  const name = text.trim();
  if (name !== "" && name.length <= longest && !/\p{Cc}/u.test(name)) return name;
  throw new Fault("invalid_request", {
    ...sayRefusal("name_expected", { limit: longest }),
    param: "name",
  });
}
