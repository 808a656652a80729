/**
 * The tones of each sound: frequency in hertz, and when it begins in seconds.
 *
 * @type {Record<string, [number, number][]>}
 */
const SOUNDS = {
  turn: [
    [523, 0],
    [784, 0.12],
  ],
  tile_placed: [[196, 0]],
  tile_bought: [
    [1319, 0],
    [1568, 0.07],
  ],
  round_scored: [
    [523, 0],
    [659, 0.1],
    [784, 0.2],
  ],
  game_finished: [
    [523, 0],
    [659, 0.12],
    [784, 0.24],
    [1047, 0.36],
  ],
};
const LENGTH_S = 0.25;
const VOLUME = 0.12;

/** @type {AudioContext | null} */
let audio = null;

/**
 * Play a sound, `turn` or the type of an event; nothing for other events. Browsers play none before the first click.
 *
 * @param {string} name
 */
export function play(name) {
  const tones = SOUNDS[name];
  if (!tones) return;
  audio ??= new AudioContext();
  if (audio.state === "suspended") void audio.resume();
  for (const [frequency, delay] of tones) tone(audio, frequency, audio.currentTime + delay);
}

/** @param {AudioContext} context @param {number} frequency @param {number} start */
function tone(context, frequency, start) {
  const [source, volume] = [context.createOscillator(), context.createGain()];
  source.type = "triangle";
  source.frequency.value = frequency;
  volume.gain.setValueAtTime(VOLUME, start);
  volume.gain.exponentialRampToValueAtTime(0.001, start + LENGTH_S);
  source.connect(volume).connect(context.destination);
  source.start(start);
  source.stop(start + LENGTH_S);
}
