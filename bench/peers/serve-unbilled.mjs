/** Begins the gateway that does not bill on the flags that serving processes have. */
import { join } from "node:path";
import { SERVING_FLAGS } from "../../tools/run-program.mjs";

const program = join(import.meta.dirname, "unbilled-gateway.ts");
process.execve(process.execPath, [process.execPath, ...SERVING_FLAGS, program]);
