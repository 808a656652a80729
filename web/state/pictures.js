/** The lines of the sheet with all tiles, by the id that each begins with; null until it is loaded. @type {Map<string, string> | null} */
let sheet = null;
/** @type {Promise<void> | null} */
let loading = null;
/** The URLs that `tilePicture` has returned; each tile keeps its URL while the page is open. @type {Map<string, string>} */
const urls = new Map();

/** Load the pictures of all tiles with one request. Until then each picture is a separate request. */
export function loadTileSheet() {
  loading ??= fetch("/v1/tiles/pictures.svg").then(async (response) => {
    if (!response.ok) return;
    const lines = (await response.text()).split("\n").flatMap((line) => {
      const id = /^<\w+ id="([^"]+)"/.exec(line)?.[1];
      return id ? [/** @type {[string, string]} */ ([id, line])] : [];
    });
    sheet = new Map(lines);
  }).catch(() => { loading = null; });
  return loading;
}

/**
 * Return the URL of the picture of a tile. Each rotation has its own picture, in which objects are upright.
 *
 * @param {string} tile
 * @param {number} [rotation]
 */
export function tilePicture(tile, rotation = 0) {
  const key = `${tile}-${rotation}`;
  const url = urls.get(key) ?? fromSheet(key) ?? `/v1/tiles/${tile}/picture.svg?rotation=${rotation}`;
  urls.set(key, url);
  return url;
}

/** @param {string} scoringTile */
export function scoringPicture(scoringTile) {
  return `/v1/scoring-tiles/${scoringTile}/picture.svg`;
}

/**
 * Create the picture of a tile from its line of the sheet and the definitions that it refers to; return an object URL.
 * Browsers draw separate pictures much faster than many fragments of one.
 *
 * @param {string} key
 */
function fromSheet(key) {
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
