// A game whose state is about as large as one of ours: 3 KB of JSON, of which a move changes a little.
'use strict';

const CELLS = 60;

exports.Measured = {
  name: 'measured',
  setup: () => ({
    cells: Array.from({ length: CELLS }, (_, x) => ({ x, y: 0, tile: 'L01', rotation: 0 })),
    moves: 0,
  }),
  moves: {
    turn: ({ G }, cell) => {
      G.cells[cell].rotation = (G.cells[cell].rotation + 1) % 4;
      G.moves += 1;
    },
  },
};
