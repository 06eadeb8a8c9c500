/**
 * Guarantee: LangChain with both of its chat models works before an upstream of any protocol as
 * before its own vendor, and pays what it is told it used.
 */
import { LANGCHAIN_OPENAI, LANGCHAIN_ANTHROPIC } from "./langchain-client.ts";
import { runMatrix } from "./run-matrix.ts";

runMatrix([LANGCHAIN_OPENAI, LANGCHAIN_ANTHROPIC]);
