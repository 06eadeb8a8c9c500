/** Becomes a program that runs on the flags that serving processes have, its file and arguments given. */
import { SERVING_FLAGS } from "../../tools/run-program.mjs";

process.execve(process.execPath, [process.execPath, ...SERVING_FLAGS, ...process.argv.slice(2)]);
