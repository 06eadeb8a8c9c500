/**
 * Who comes from the link of the first mail is shown a first key. It goes along in the history's own
 * state, where no link of a stranger's can put it.
 */
const FIRST_RUN = "firstRun";

export function firstRunState(): Record<string, unknown> {
  return { [FIRST_RUN]: true };
}

export function isFirstRun(state: object): boolean {
  return FIRST_RUN in state;
}
