// Play matches at once: `node client.js URL MATCHES SECONDS`; prints `started`, then `MOVES SECONDS`.
'use strict';

const { io } = require('socket.io-client');
const { Measured } = require('./game');

const [server, matches, seconds] = process.argv.slice(2);
const PLAYER = '0';
const WARM_UP_MS = 2000;
const MAX_S = 60;
let confirmed = 0;
let measuring = false;

// Make each move as soon as the server has confirmed the one before.
function play(match) {
  const socket = io(`${server}/${Measured.name}`, { transports: ['websocket'], forceNew: true });
  const move = (state) => {
    const payload = { type: 'turn', args: [state % 60], playerID: PLAYER };
    socket.emit('update', { type: 'MAKE_MOVE', payload }, state, match, PLAYER);
  };
  const confirm = (state) => {
    if (measuring) confirmed += 1;
    move(state);
  };
  socket.on('connect', () => socket.emit('sync', match, PLAYER, undefined, 1));
  socket.on('sync', (_match, { state }) => move(state._stateID));
  socket.on('update', (_match, state) => confirm(state._stateID));
  socket.on('patch', (_match, _before, state) => confirm(state));
}

// Print how many moves were confirmed in how many seconds: in more than SECONDS if there was none until then.
function end(begun) {
  const lasted = (Date.now() - begun) / 1000;
  if (!confirmed && lasted < MAX_S) {
    setTimeout(end, 10, begun);
    return;
  }
  process.stdout.write(`${confirmed} ${lasted}\n`);
  process.exit(0);
}

function begin() {
  measuring = true;
  process.stdout.write('started\n');
  setTimeout(end, 1000 * Number(seconds), Date.now());
}

for (let number = 0; number < Number(matches); number += 1) play(`match-${process.pid}-${number}`);
setTimeout(begin, WARM_UP_MS);
