export { readyMade, type ReadyMade } from "./library/catalog.ts";
export type { SensitiveType } from "./library/detect/detector.ts";
export type { RedactConfig } from "./library/redact-config.ts";
export { redact } from "./library/redact.ts";
export { toolFilter, type ToolFilterConfig } from "./library/tool-filter.ts";
