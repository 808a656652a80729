// Parse an AsyncAPI document; print what the parser finds wrong with it, and how many messages it has.
import { readFileSync } from "node:fs";

import { Parser } from "@asyncapi/parser";

const { document, diagnostics } = await new Parser().parse(readFileSync(process.argv[2], "utf8"));
for (const { code, message, path } of diagnostics) console.log(code, message, path.join("/"));
console.log(`messages: ${document?.allMessages().length}`);
