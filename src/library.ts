export { readyMade, type ReadyMade } from "./library/catalog.ts";
export type { SensitiveType } from "./library/detect/detector.ts";
export type { RedactConfig } from "./library/redact-config.ts";
export { redact } from "./library/redact.ts";
export type { SecretGuardConfig } from "./library/secret-config.ts";
export { secretGuard } from "./library/secret-guard.ts";
export { toolFilter, type ToolFilterConfig } from "./library/tool-filter.ts";
