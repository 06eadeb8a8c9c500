/**
 * Guarantee: the AI SDK with each of its three providers works before an upstream of either
 * protocol as before its own vendor, and pays what it is told it used.
 */
import { AI_SDK_OPENAI, AI_SDK_COMPATIBLE, AI_SDK_ANTHROPIC } from "./ai-sdk-client.ts";
import { runMatrix } from "./run-matrix.ts";

runMatrix([AI_SDK_OPENAI, AI_SDK_COMPATIBLE, AI_SDK_ANTHROPIC]);
