/**
 * The whole environment that a test's tollgate process sees: what a process needs to run, and what
 * the test sets.
 */

export type Settings = Readonly<Record<string, string | undefined>>;

/** The last is where Node keeps what another process of the run has compiled. */
const NEEDED = ["PATH", "HOME", "TMPDIR", "USER", "LOGNAME", "LANG", "TZ", "NODE_COMPILE_CACHE"];

export function tollgateEnvironment(settings: Settings): NodeJS.ProcessEnv {
  const needed = Object.fromEntries(NEEDED.map((name) => [name, process.env[name]]));
  const all = Object.entries({ ...needed, ...settings });
  return Object.fromEntries(all.filter(([, value]) => value !== undefined));
}
