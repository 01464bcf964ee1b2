/** Something that is done for whoever asks, one at a time. */
export interface Coalesced {
  /** Does it; asked again meanwhile, it does so once more behind that. Settles when nothing is asked for any more. */
  ask(): Promise<void>;
  /** What is being done, until nothing is asked for any more. */
  readonly running: Promise<void> | undefined;
}

/** `run` never rejects. `isOver`: nothing is done once more. */
export function coalesced(run: () => Promise<void>, isOver: () => boolean = () => false): Coalesced {
  let running: Promise<void> | undefined;
  let again = false;
  const loop = async () => {
    do {
      again = false;
      await run();
    } while (again && !isOver());
    running = undefined;
  };
  return {
    ask() {
      if (running !== undefined) again = true;
      return (running ??= loop());
    },
    get running() {
      return running;
    },
  };
}
