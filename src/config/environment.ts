/**
 * The one place that reads the process environment: `.env` beside the working directory, overruled
 * by what is really set.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import type { Environment } from "./config.ts";

/** The name under which a primary process hands its worker processes the database it has opened. */
export const INHERITED_DATABASE_URL = "TOLLGATE_INHERITED_DATABASE_URL";

/**
 * The name under which the process that runs the sandbox tells where its payments are; an
 * operator's own setting has other names.
 */
export const SANDBOX_PAYMENTS = "TOLLGATE_SANDBOX_PAYMENTS";

export function readEnvironment(cwd: string): Environment {
  return { ...readDotEnv(join(cwd, ".env")), ...process.env };
}

function readDotEnv(path: string): Environment {
  try {
    return parseEnv(readFileSync(path, "utf8"));
  } catch {
    return {};
  }
}

/**
 * What the sandbox catalogue interpolates, filled in where the operator set nothing
 * (contract §1, §12).
 */
export function withSandbox(env: Environment, sandboxUrl: string): Environment {
  return { SANDBOX_URL: sandboxUrl, SANDBOX_API_KEY: "sandbox", ...dropEmpty(env) };
}

function dropEmpty(env: Environment): Environment {
  return Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ""),
  );
}
