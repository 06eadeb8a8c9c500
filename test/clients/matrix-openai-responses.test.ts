/**
 * Guarantee: the official `openai` SDK calls Responses before an upstream of any protocol as before
 * its own vendor, and pays what it is told it used.
 */
import { OPENAI_RESPONSES } from "./openai-responses-client.ts";
import { runMatrix } from "./run-matrix.ts";

runMatrix([OPENAI_RESPONSES]);
