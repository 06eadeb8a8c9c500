/**
 * What can wait until the answers of this turn of the event loop have left: nothing that a caller
 * waits for is behind it.
 */

/** `work` runs when the turn is over, in the order in which it came; it throws nothing. */
export type Afterwards = (work: () => void) => void;

export function createAfterwards(): Afterwards {
  let waiting: (() => void)[] = [];

  function workOff(): void {
    const works = waiting;
    waiting = [];
    for (const work of works) work();
  }

  return (work) => {
    if (waiting.push(work) === 1) setImmediate(workOff);
  };
}
