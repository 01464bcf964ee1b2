import type { HeaderList } from "./exchange.ts";

// Each POST says that it takes either kind of answer (2025-03-26 and later, Sending Messages).
export const JSON_POST: HeaderList = [
  ["content-type", "application/json"],
  ["accept", "application/json, text/event-stream"],
];

export const STREAM_GET: HeaderList = [["accept", "text/event-stream"]];
