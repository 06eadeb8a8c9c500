/**
 * Guarantee: the AI SDK's default, which calls Responses and refers to earlier thinking by its id,
 * works before an upstream of any protocol as before its own vendor, and pays what it is told it
 * used.
 */
import { AI_SDK_RESPONSES } from "./ai-sdk-client.ts";
import { runMatrix } from "./run-matrix.ts";

runMatrix([AI_SDK_RESPONSES]);
