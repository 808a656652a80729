// Play matches at once: `node client.js URL MATCHES SECONDS`; prints `started`, then how many moves were confirmed.
'use strict';

const { io } = require('socket.io-client');
const { Measured } = require('./game');

const [server, matches, seconds] = process.argv.slice(2);
const PLAYER = '0';
const WARM_UP_MS = 2000;
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

for (let number = 0; number < Number(matches); number += 1) play(`match-${process.pid}-${number}`);
setTimeout(() => { measuring = true; process.stdout.write('started\n'); }, WARM_UP_MS);
setTimeout(() => { process.stdout.write(`${confirmed}\n`); process.exit(0); }, WARM_UP_MS + 1000 * Number(seconds));
