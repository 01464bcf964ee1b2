// Writes the pages that are made from the sources:  npm run docs [-- PART…]
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { examplesIn, steady, withOutputs } from "../support/pages.ts";
import { writeMarked } from "../support/marked-text.ts";
import { scriptWords } from "../support/script-words.ts";
import { ARCHITECTURE, importRows, layers, readSources, wayOf } from "./architecture.ts";
import { API, apiPage } from "./api.ts";
import { emitDeclarations } from "./declarations.ts";
import { createReaders, GUIDES, readGuides } from "./guides.ts";

const PARTS: Readonly<Record<string, () => void | Promise<void>>> = {
  async guides() {
    const readers = createReaders();
    try {
      for (const [name, text] of readGuides()) {
        const { examples } = examplesIn(text);
        // What differs in numbers and times alone stays as it is.
        const printed = (await readers.follow(name, text)).map((one, index) => (steady(one) === steady(examples[index]?.shown ?? "") ? (examples[index]?.shown ?? "") : one));
        writeFileSync(join(GUIDES, name), withOutputs(text, printed));
      }
    } finally {
      readers.remove();
    }
  },
  architecture() {
    const sources = readSources();
    writeMarked(ARCHITECTURE, "layers", layers(sources));
    writeMarked(ARCHITECTURE, "imports", importRows(sources));
    writeMarked(ARCHITECTURE, "way", wayOf(sources));
  },
  api: () => writeFileSync(API, apiPage(emitDeclarations())),
};

const { words: wanted } = scriptWords({ usage: `npm run docs [-- PART…]\nWrites the pages that are made from the sources; parts are ${Object.keys(PARTS).join(", ")}.`, known: Object.keys(PARTS) });
for (const [part, write] of Object.entries(PARTS)) if (wanted.length === 0 || wanted.includes(part)) await write();
