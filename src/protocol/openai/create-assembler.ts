/** Puts a stream of chunks together, for callers and upstreams of this protocol. */
import type { Assembler } from "../chat-dialect.ts";
import { createCompletionAssembler } from "./assemble-completion.ts";
import { shownUsage } from "./shown-usage.ts";

export function createChunkAssembler(): Assembler {
  const assembler = createCompletionAssembler();
  return {
    add: (event) => assembler.add(event),
    finish(usage, stopped = false) {
      const completion = assembler.completion(stopped ? "length" : undefined);
      const shown = usage === null ? null : shownUsage(completion["usage"], usage);
      if (shown !== null) completion["usage"] = shown;
      return Buffer.from(JSON.stringify(completion));
    },
  };
}
