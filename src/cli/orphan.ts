// How often to look, while there is a reason to.
const POLL_MS = 100;

/**
 * Calls `orphaned` once the process that started this one, `parent`, is no longer its parent, which is how its death shows. On Windows the number
 * never changes, and nothing is called. Returns the undoing.
 */
export function whenOrphaned(parent: number, orphaned: () => void): () => void {
  const look = () => {
    if (process.ppid === parent) timer = setTimeout(look, POLL_MS);
    else orphaned();
  };
  let timer = setTimeout(look, POLL_MS);
  return () => clearTimeout(timer);
}
