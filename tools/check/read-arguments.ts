/** The command line of `npm test -- …`. */
import { parseArgs } from "node:util";

const USAGE = `usage: npm test -- [--only PATTERN]… [--no-static] [--no-again]
  --only PATTERN  run only the checks and test files whose name contains PATTERN; of several patterns, any
  --no-static     run the tests without types, lint, format, unused and tidy
  --no-again      a test file that fails is not run a second time`;

export type Arguments =
  | {
      readonly ok: true;
      /** Patterns of which a name contains any; empty for everything. */
      readonly only: readonly string[];
      readonly staticChecks: boolean;
      readonly again: boolean;
    }
  | { readonly ok: false; readonly message: string };

export function readArguments(args: readonly string[]): Arguments {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        only: { type: "string", multiple: true },
        static: { type: "boolean", default: true },
        again: { type: "boolean", default: true },
      },
      allowNegative: true,
    });
    return { ok: true, only: values.only ?? [], staticChecks: values.static, again: values.again };
  } catch (error) {
    return {
      ok: false,
      message: `${error instanceof Error ? error.message : String(error)}\n${USAGE}`,
    };
  }
}
