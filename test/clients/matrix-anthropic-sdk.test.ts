/**
 * Guarantee: the official `@anthropic-ai/sdk` works before an upstream of any protocol as before
 * its own vendor, and pays what it is told it used.
 */
import { ANTHROPIC_SDK } from "./anthropic-sdk-client.ts";
import { runMatrix } from "./run-matrix.ts";

runMatrix([ANTHROPIC_SDK]);
