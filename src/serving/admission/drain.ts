/** How a service ends in order: what runs may finish until a deadline, and is cut off then. */

export interface Drain {
  /** Nothing new is taken. */
  readonly begun: boolean;
  /** The deadline has come: what is only admitted now is cut off, too. */
  readonly over: boolean;
  /** To be called whenever something has ended. */
  check(): void;
  /** Resolves when nothing runs any more. */
  run(deadlineMs: number): Promise<void>;
}

export function createDrain(work: { isIdle(): boolean; cutOff(): void }): Drain {
  let begun = false;
  let over = false;
  let idle: (() => void) | null = null;

  function check(): void {
    if (idle !== null && work.isIdle()) idle();
  }

  return {
    get begun() {
      return begun;
    },
    get over() {
      return over;
    },
    check,
    async run(deadlineMs) {
      begun = true;
      const { promise, resolve } = Promise.withResolvers<void>();
      idle = resolve;
      check();
      const timer = setTimeout(() => {
        over = true;
        work.cutOff();
      }, deadlineMs);
      await promise;
      clearTimeout(timer);
    },
  };
}
