/**
 * A process that swaps things under a base as fast as it can, until its parent says stop; then it tells how often. It says
 * `at it` once, after more than a thousand.
 * Argument: the base. The parent has laid out every pair (see `attacker.ts`).
 */

import path from 'node:path';
import koffi from 'koffi';

const [base = ''] = process.argv.slice(2);
const RENAME_EXCHANGE = 2;
const AT_FDCWD = -100;
const renameat2: (from: number, name: string, to: number, toName: string, flags: number) => number = koffi
  .load(null)
  .func('int renameat2(int from, const char *name, int to, const char *toName, unsigned int flags)');

/** Exchanged atomically, there and back, so that every second state is the harmless one. */
const PAIRS = [
  ['real/a', 'real/a.link'],
  ['real/a/deep', 'real/a/deep.link'],
  ['real/a/deep', 'other/deep'],
  ['flip/victim', 'flip/victim.link'],
  ['flip/victim', 'flip/victim.fifo'],
  ['flip/victim', 'flip/victim.dir'],
  ['flip/mover', 'flip/mover.link'],
] as const;

let swaps = 0;
let stopped = false;
let isAtIt = false;

function swap([one, two]: readonly [string, string]): void {
  // It fails while the defender holds one of them elsewhere; that is part of the game.
  if (renameat2(AT_FDCWD, path.join(base, one), AT_FDCWD, path.join(base, two), RENAME_EXCHANGE) === 0) swaps += 1;
}

function round(): void {
  for (let i = 0; i < 50; i++) {
    for (const pair of PAIRS) {
      swap(pair);
      swap(pair);
    }
  }
  if (!isAtIt && swaps > 1000) {
    isAtIt = true;
    process.send?.('at it');
  }
  if (stopped) process.send?.({ swaps }, () => process.disconnect());
  else setImmediate(round);
}

process.on('message', () => {
  stopped = true;
});
process.send?.('ready');
round();
