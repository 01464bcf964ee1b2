import { conditionsPart } from "./conditions.ts";
import { configPart } from "./config.ts";
import { dialectsPart } from "./dialects.ts";
import { eventsPart } from "./events.ts";
import { headersPart } from "./headers.ts";
import { hostilePart } from "./hostile.ts";
import { jsonPart } from "./json.ts";
import { linesPart } from "./lines.ts";
import { messagesPart } from "./messages.ts";
import type { Part } from "./part.ts";
import { schemasPart } from "./schemas.ts";

export const PARTS: readonly Part[] = [jsonPart, messagesPart, linesPart, eventsPart, headersPart, schemasPart, hostilePart, dialectsPart, conditionsPart, configPart];
