/** Milliseconds of processor time that the work takes: for bounds that catch quadratic behaviour, whatever else the machine does. */
export function cpuMs(work: () => void): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}
