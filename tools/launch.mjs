/**
 * Starts one of the project's programs by name, installing first what is missing:
 * `node tools/launch.mjs start|test|bench|soak|torture|tollgate …`.
 */
import { runProgram } from "./run-program.mjs";

const [name, ...args] = process.argv.slice(2);
await runProgram(name, args);
