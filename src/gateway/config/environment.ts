// What programs need to start and to find their home, and no more: the rest of the gateway's environment is not theirs.
const PASSED_ON: ReadonlySet<string> = new Set([
  ...["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LC_ALL", "TZ", "TMPDIR"],
  ...["SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "TEMP", "TMP", "APPDATA", "LOCALAPPDATA", "PROGRAMFILES", "PROGRAMDATA", "USERPROFILE", "USERNAME", "WINDIR"],
]);

/** The whole environment of a command that a configuration names: what it says, on top of what any program needs. */
export function commandEnvironment(own: Readonly<Record<string, string>> = {}): Record<string, string> {
  const needed = Object.entries(process.env).flatMap(([name, value]) => (value !== undefined && PASSED_ON.has(name.toUpperCase()) ? [[name, value] as const] : []));
  return { ...Object.fromEntries(needed), ...own };
}
