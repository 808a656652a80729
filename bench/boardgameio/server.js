// Serve the game: `node server.js PORT [FOLDER]`; with a folder, matches are stored in files there.
'use strict';

const { FlatFile, Origins, Server } = require('boardgame.io/server');
const { Measured } = require('./game');

const [port, folder] = process.argv.slice(2);
console.log = () => {}; // it reports each match
const server = Server({
  games: [Measured],
  origins: [Origins.LOCALHOST],
  ...(folder && { db: new FlatFile({ dir: folder }) }),
});
server.run({ port: Number(port) });
