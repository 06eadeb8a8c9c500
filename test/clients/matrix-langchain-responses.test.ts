/**
 * Guarantee: LangChain with `useResponsesApi` works before an upstream of any protocol as before its
 * own vendor, and pays what it is told it used.
 */
import { LANGCHAIN_RESPONSES } from "./langchain-client.ts";
import { runMatrix } from "./run-matrix.ts";

runMatrix([LANGCHAIN_RESPONSES]);
