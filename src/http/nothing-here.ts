/** The fault of a path where there is nothing, for whoever asks: also of one that is there for others only, so that nobody can tell them apart. */
import { Fault } from "../kernel/faults.ts";

export function nothingHere(): Fault {
  return new Fault("not_found", { message: "There is nothing at this path. GET /openapi.json lists what there is." });
}
