#!/usr/bin/env node
/** The `tollgate` command: the command line of src/cli on the pinned runtime. */
import { runProgram } from "../tools/run-program.mjs";

await runProgram("tollgate", process.argv.slice(2));
