/**
 * Guarantee: the AI SDK's provider for Open Responses, which validates what the public reference
 * demands, works before an upstream of any protocol as before a vendor, and pays what it is told it
 * used.
 */
import { AI_SDK_OPEN_RESPONSES } from "./ai-sdk-client.ts";
import { runMatrix } from "./run-matrix.ts";

runMatrix([AI_SDK_OPEN_RESPONSES]);
