// How often to look: idly while the client's side is open, often once a reason to look has come.
const IDLE_POLL_MS = 1000;
const HURRIED_POLL_MS = 100;

/** A look, now and then, at whether the process that started this one is still there. It keeps no process alive. */
export interface ParentWatch {
  /** Looks often from now on: the end of stdin may be that of the client. */
  hurry(): void;
  release(): void;
}

/**
 * Calls `orphaned` once the process that started this one, `parent`, is no longer its parent, which is how its death shows, whatever state our
 * pipes are in. On Windows the number never changes, and nothing is called.
 */
export function watchParent(parent: number, orphaned: () => void): ParentWatch {
  let pollMs = IDLE_POLL_MS;
  const look = () => {
    if (process.ppid === parent) schedule();
    else orphaned();
  };
  const schedule = () => {
    timer = setTimeout(look, pollMs);
    timer.unref();
  };
  let timer: NodeJS.Timeout;
  schedule();
  let released = false;
  return {
    hurry() {
      if (released) return;
      pollMs = HURRIED_POLL_MS;
      clearTimeout(timer);
      schedule();
    },
    release() {
      released = true;
      clearTimeout(timer);
    },
  };
}
