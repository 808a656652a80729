// Apply recorded events to views: reads what one caller received from standard input, and writes the views after each step.
import { readFileSync } from "node:fs";

import { emptyView, fold } from "skye-client";

/** @type {{tiles: string[], ruleset: string, color: string | null, host: boolean, first: any, steps: any[][]}} */
const { tiles, ruleset, color, host, first, steps } = JSON.parse(readFileSync(0, "utf8"));
const fromEvents = emptyView(tiles, ruleset, { color, host });
const views = steps.map((events) => {
  for (const event of events) {
    if (event.id > first.last_event) fold(first, event);
    if (event.id > fromEvents.last_event) fold(fromEvents, event);
  }
  return structuredClone([first, fromEvents]);
});
process.stdout.write(JSON.stringify(views));
