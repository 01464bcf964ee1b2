import { didYouMean } from "../core/base/nearest.ts";
import { readyMade } from "../library/catalog.ts";
import { UsageError } from "./errors.ts";

/** The ready-made interceptor that a `--use` names. Throws a `UsageError` with what may have been meant. */
export function readyMadeNamed(name: string): NonNullable<ReturnType<typeof readyMade.get>> {
  const made = readyMade.get(name);
  if (made === undefined) throw new UsageError(`--use ${name}: there is no such interceptor`, didYouMean(name, readyMade.keys(), `known are ${[...readyMade.keys()].join(", ")}`));
  return made;
}
