export { readyMade, type ReadyMade } from "./library/catalog.ts";
export { commandGuard, type CommandCheck, type CommandGuardConfig, type CommandRule } from "./library/command-guard.ts";
export type { SensitiveType } from "./library/detect/detector.ts";
export { pathGuard, type PathGuardConfig } from "./library/path-guard.ts";
export type { RedactConfig } from "./library/redact-config.ts";
export { redact } from "./library/redact.ts";
export { toolFilter, type ToolFilterConfig } from "./library/tool-filter.ts";
export { urlGuard, type UrlGuardConfig } from "./library/url-guard.ts";
