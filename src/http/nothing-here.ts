/**
 * The fault of a path where there is nothing for the caller: also of one that is there for others
 * only, so that the two look alike.
 */
import { Fault } from "../kernel/faults.ts";
import { foreignPath } from "./foreign-paths.ts";

/** @param path That of the request's target; it is not repeated. */
export function nothingHere(path = ""): Fault {
  const hint = foreignPath(path)?.use;
  const message = "There is nothing at this path. GET /openapi.json lists what there is.";
  return new Fault("not_found", { message: hint === undefined ? message : `${message} ${hint}` });
}
