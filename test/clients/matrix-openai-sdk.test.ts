/**
 * Guarantee: the official `openai` SDK works before an upstream of any protocol as before its
 * own vendor, and pays what it is told it used.
 */
import { OPENAI_SDK } from "./openai-sdk-client.ts";
import { runMatrix } from "./run-matrix.ts";

runMatrix([OPENAI_SDK]);
