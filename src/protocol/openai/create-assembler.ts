/** Puts a stream of chunks together, for callers and upstreams of this protocol. */
import type { Assembler } from "../chat-dialect.ts";
import { createCompletionAssembler } from "./assemble-completion.ts";
import { renderUsage } from "./read-usage.ts";

export function createChunkAssembler(): Assembler {
  const assembler = createCompletionAssembler();
  return {
    add: (event) => assembler.add(event),
    finish(stopped) {
      const completion = assembler.completion(stopped === null ? undefined : "length");
      if (stopped !== null) completion["usage"] = renderUsage(stopped);
      return Buffer.from(JSON.stringify(completion));
    },
  };
}
