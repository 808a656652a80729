/** The lines of the sheet with all tiles, by the id that each begins with; null until it is loaded. @type {Map<string, string> | null} */
let sheet = null;
/** @type {Promise<void> | null} */
let loading = null;
/** The addresses of pictures that were given out; they do not change while the page is open. @type {Map<string, string>} */
const addresses = new Map();

/** Load the pictures of all tiles with one request. Without them each picture is a request of its own. */
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
 * The picture of a tile. It is drawn for its rotation, because objects on it stay upright.
 *
 * @param {string} tile
 * @param {number} [rotation]
 */
export function tilePicture(tile, rotation = 0) {
  const key = `${tile}-${rotation}`;
  const address = addresses.get(key) ?? fromSheet(key) ?? `/v1/tiles/${tile}/picture.svg?rotation=${rotation}`;
  addresses.set(key, address);
  return address;
}

/** @param {string} scoringTile */
export function scoringPicture(scoringTile) {
  return `/v1/scoring-tiles/${scoringTile}/picture.svg`;
}

/**
 * Make a picture from the line of a tile and the definitions that it refers to. Browsers draw separate pictures much
 * faster than many fragments of one.
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
