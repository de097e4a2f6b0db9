import { connect, type Socket } from 'node:net';
import { createRandom } from '../../support/random.ts';
import { SLOW_KINDS, type SlowKind, type SlowKindName, STREAMS_OF_A_KEY } from './kinds.ts';

/** A process that holds so many slow clients of one kind. Who is shown out comes back at once. */
export interface CrowdSetup {
  readonly kind: SlowKindName;
  readonly clients: number;
  readonly url: string;
  /** Streams are bounded by key; the others use the first. */
  readonly keys: readonly string[];
  /** The address they come from, for enough ports. */
  readonly from: string;
  readonly seed: number;
}
export interface CrowdReport {
  /** Connections that stand now. */
  readonly open: number;
  /** Connections that the API ended. */
  readonly cut: number;
  /** Of these, the ones that were told why: the first line of an answer came. */
  readonly told: Readonly<Record<string, number>>;
  /** Longest life of a connection that was cut, or stands, milliseconds. */
  readonly longestMs: number;
  /** Connections that could not be made, by error code. */
  readonly failed: Readonly<Record<string, number>>;
}

/** Connections that are being made at the same time: below the backlog of the listener. */
const ARRIVING = 100;
const AGAIN_MS = 10;

const { kind, clients, url, keys, from, seed } = JSON.parse(process.argv[2] ?? '') as CrowdSetup;
const { hostname, port, host } = new URL(url);
const { opening, drip, reads }: SlowKind = SLOW_KINDS[kind];
const random = createRandom(seed);
const standing = new Map<Socket, number>();
const told: Record<string, number> = {};
const failed: Record<string, number> = {};
let cut = 0;
let longestMs = 0;
let leaving = false;

process.on('message', (word: 'report' | 'leave') => {
  if (word === 'leave') leave();
  process.send?.(report());
});
process.once('disconnect', () => process.exit(0));

let next = 0;
await Promise.all(
  Array.from({ length: ARRIVING }, async () => {
    while (next < clients) {
      next += 1;
      await enter(next - 1);
    }
  }),
);
process.send?.('ready');

/** Connects, behaves as its kind, and comes back when it is shown out. */
function enter(n: number): Promise<void> {
  return new Promise((arrived) => {
    const socket = connect({ host: hostname, port: Number(port), localAddress: from });
    let dripping: NodeJS.Timeout | undefined;
    let said = '';
    let error = '';
    socket.setEncoding('utf8');
    socket.once('connect', () => {
      standing.set(socket, performance.now());
      socket.write(opening({ host, key: keys[Math.floor(n / STREAMS_OF_A_KEY) % keys.length] ?? '' }));
      if (drip) dripping = setTimeout(() => (dripping = setInterval(() => socket.write(drip.text), drip.everyMs)), random.integer(drip.everyMs));
      arrived();
    });
    if (reads) socket.on('data', (text: string) => (said ||= text.split('\r\n')[0] ?? ''));
    else socket.pause();
    socket.on('error', (fault: NodeJS.ErrnoException) => {
      error = fault.code ?? fault.message;
    });
    socket.once('close', () => {
      clearInterval(dripping);
      arrived();
      const since = standing.get(socket);
      standing.delete(socket);
      if (leaving) return;
      if (since === undefined) failed[error] = (failed[error] ?? 0) + 1;
      else shownOut(performance.now() - since, said || error || 'closed');
      setTimeout(() => leaving || void enter(n), AGAIN_MS);
    });
  });
}

function shownOut(afterMs: number, how: string): void {
  cut += 1;
  told[how] = (told[how] ?? 0) + 1;
  longestMs = Math.max(longestMs, afterMs);
}

function report(): CrowdReport {
  const now = performance.now();
  const lives = [...standing.values()].map((since) => now - since);
  const standingMs = lives.reduce((most, life) => Math.max(most, life), 0);
  return { open: standing.size, cut, told, longestMs: Math.round(Math.max(longestMs, standingMs)), failed };
}

function leave(): void {
  leaving = true;
  for (const socket of standing.keys()) socket.destroy();
}
