import { queryString } from "../../clients/typescript/src/transport.js";

/** @typedef {import("./api.js").Tiles[number]} Tile */

/**
 * By ruleset, the lines of the sheet with all tiles, by the id that each begins with.
 *
 * @type {Map<string, Map<string, string>>}
 */
const sheets = new Map();
/** The sheets that were requested, by ruleset. @type {Map<string, Promise<void>>} */
const loading = new Map();
/**
 * The URLs that `tilePicture` has returned; each tile keeps its URL while the page is open.
 *
 * @type {Map<string, string>}
 */
const urls = new Map();

/**
 * Load the pictures of all tiles of a ruleset with one request. Until then each picture is a separate request.
 *
 * @param {string} ruleset
 */
export function loadTileSheet(ruleset) {
  const sheet =
    loading.get(ruleset) ??
    fetch(`/v1/tiles/pictures.svg${queryString({ ruleset })}`)
      .then(async (response) => {
        if (!response.ok) return;
        const lines = (await response.text()).split("\n").flatMap((line) => {
          const id = /^<\w+ id="([^"]+)"/.exec(line)?.[1];
          return id ? [/** @type {[string, string]} */ ([id, line])] : [];
        });
        sheets.set(ruleset, new Map(lines));
      })
      .catch(() => {
        loading.delete(ruleset);
      });
  loading.set(ruleset, sheet);
  return sheet;
}

/**
 * Return the URL of the picture of a tile. Each rotation has its own picture, in which objects are upright.
 *
 * @param {string | null} ruleset Null is that of new games.
 * @param {string} tile
 * @param {number} [rotation]
 */
export function tilePicture(ruleset, tile, rotation = 0) {
  const key = `${ruleset} ${tile}-${rotation}`;
  const url =
    urls.get(key) ??
    fromSheet(sheets.get(ruleset ?? ""), `${tile}-${rotation}`) ??
    `/v1/tiles/${tile}/picture.svg${queryString({ rotation, ruleset })}`;
  urls.set(key, url);
  return url;
}

/** @param {string | null} ruleset @param {string} scoringTile */
export function scoringPicture(ruleset, scoringTile) {
  return `/v1/scoring-tiles/${scoringTile}/picture.svg${queryString({ ruleset })}`;
}

/** What the tile of each step of a round shows. @type {Record<string, (tile: Tile) => boolean>} */
const STEPS = {
  income: ({ kind, counts }) => kind === "landscape" && counts.whisky > 0,
  prices: ({ counts }) => counts.ship > 0 && counts.lighthouse > 0,
  buy: ({ counts }) => counts.farm > 0 && counts.sheep > 0,
  build: ({ scroll }) => scroll !== null,
  score: ({ kind }) => kind === "castle",
};

/**
 * Return a tile for each step of a round, with something that the step is about; null where no tile has it.
 *
 * @param {import("./api.js").Tiles} tiles
 */
export function tilesOfSteps(tiles) {
  return Object.entries(STEPS).map(([step, shows]) => ({ step, tile: tiles.find(shows)?.id ?? null }));
}

/**
 * Create the picture of a tile from its line of the sheet and the definitions that it refers to; return an object URL.
 * Browsers draw separate pictures much faster than many fragments of one.
 *
 * @param {Map<string, string> | undefined} sheet
 * @param {string} key
 */
function fromSheet(sheet, key) {
  const line = sheet?.get(key);
  const box = line && /viewBox="([^"]+)"/.exec(line)?.[1];
  if (!line || !box) return null;
  const needed = new Set([line]);
  for (const text of needed) {
    for (const [, id] of text.matchAll(/href="#([^"]+)"/g)) needed.add(sheet?.get(id) ?? "");
  }
  needed.delete(line);
  const text = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box}" width="240" height="240"><defs>${[...needed].join("")}</defs>${line}</svg>`;
  return URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
}
