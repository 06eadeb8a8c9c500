#!/usr/bin/env node
/**
 * The `tollgate` command: the command line of src/cli on the pinned runtime; without a command
 * everything at once, as `npm start`.
 */
import { runProgram } from "../tools/run-program.mjs";

const args = process.argv.slice(2);
await runProgram(args.length === 0 ? "start" : "tollgate", args);
