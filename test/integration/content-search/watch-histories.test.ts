import {
  appendFileSync,
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { OverlayEntry } from '../../../src/core/ports/index.ts';
import { createRandom, type Random } from '../../support/random.ts';
import { armAndPublish, complete, contents, createWatchRig, missed, type WatchRig } from './watch-rig.ts';

const NAMES = ['a', 'b', 'c.txt', 'é', 'd', 'e', 'lib', 'build', '.hid', 'x y', 'o.log'];
const RULES = ['build\n', '*.log\n', 'c.txt\n/lib\n', '!*.log\n', ''];

interface Seen {
  readonly files: readonly string[];
  readonly directories: readonly string[];
  /** Directories that are watched since the last look: in others nobody tells of links that come and go (docs/index-watch.md 4). */
  readonly watched: readonly string[];
}

/** All that is there, the root among the directories. */
function see(root: string, watched: ReadonlyMap<string, number>): Seen {
  const files: string[] = [];
  const directories: string[] = [root];
  for (const directory of directories) {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      if (entry.isDirectory()) directories.push(path.join(directory, entry.name));
      else if (entry.isFile()) files.push(path.join(directory, entry.name));
    }
  }
  return { files, directories, watched: directories.filter((directory) => watched.get(directory) === lstatSync(directory).ino) };
}

/** The directories of the walk's files, with their inodes. */
function walkedDirectories({ root, indexed }: WatchRig): Map<string, number> {
  const all = [...contents(indexed).keys()].map((file) => path.join(root, path.dirname(Buffer.from(file, 'latin1').toString())));
  return new Map(all.map((directory) => [directory, lstatSync(directory).ino]));
}

/** What this step did nobody would know of if the next one undid it. */
const LOOK_NOW = Symbol('look now');

/** One step of a history: a few system calls, all over when it returns. What the file system refuses did not happen. */
const STEPS: readonly ((random: Random, seen: Seen, outside: string, count: number) => unknown)[] = [
  ({ pick }, { directories }, _outside, count) => writeFileSync(path.join(pick(directories), pick(NAMES)), `new ${count}`),
  ({ pick }, { files }, _outside, count) => appendFileSync(pick(files), `more ${count}`),
  ({ pick }, { files }, _outside, count) => writeFileSync(pick(files), `else ${count}`),
  ({ pick }, { files }) => truncateSync(pick(files), 1),
  ({ pick }, { files, directories }) => renameSync(pick(files), path.join(pick(directories), pick(NAMES))),
  ({ pick }, { directories }) => renameSync(pick(directories.slice(1)), path.join(pick(directories), pick(NAMES))),
  ({ pick }, { directories }, outside, count) => renameSync(pick(directories.slice(1)), path.join(outside, `d${count}`)),
  ({ pick }, { directories }, outside) => renameSync(path.join(outside, pick(readdirSync(outside))), path.join(pick(directories), pick(NAMES))),
  ({ pick }, { files }, outside, count) => renameSync(pick(files), path.join(outside, `f${count}`)),
  ({ pick }, { directories }, _outside, count) => {
    const deep = path.join(pick(directories), pick(NAMES), pick(NAMES), pick(NAMES));
    mkdirSync(deep, { recursive: true });
    writeFileSync(path.join(deep, pick(NAMES)), `deep ${count}`);
  },
  ({ pick, chance }, { files, directories, watched }, _outside, count) => {
    const alias = path.join(pick(watched), pick(NAMES));
    linkSync(pick(files), alias);
    appendFileSync(alias, `by another name ${count}`);
    if (chance(0.3)) unlinkSync(alias);
    else if (chance(0.4)) renameSync(alias, path.join(pick(directories), pick(NAMES)));
  },
  ({ pick }, { files, watched }, _outside, count) => {
    const directory = path.join(pick(watched), `new${count}`);
    mkdirSync(directory);
    linkSync(pick(files), path.join(directory, 'alias'));
    appendFileSync(path.join(directory, 'alias'), `from a new directory ${count}`);
    return LOOK_NOW;
  },
  ({ pick }, { files }) => unlinkSync(pick(files)),
  ({ pick }, { directories }) => rmSync(pick(directories.slice(1)), { recursive: true }),
  ({ pick }, { files, directories }) => chmodSync(pick([...files, ...directories.slice(1)]), pick([0o600, 0o644, 0o755])),
  ({ pick }, { files, directories }) => utimesSync(pick([...files, ...directories.slice(1)]), 1, 1),
  ({ pick }, { directories }, outside) => {
    const directory = pick(directories.slice(1));
    rmSync(directory, { recursive: true });
    symlinkSync(pick([outside, '..', ...directories]), directory);
  },
  ({ pick }, { directories }) => writeFileSync(path.join(pick(directories), pick(['.gitignore', '.ignore'])), pick(RULES)),
  ({ pick }, { directories }) => {
    mkdirSync(path.join(directories[0] ?? '', '.git', 'info'), { recursive: true });
    writeFileSync(path.join(directories[0] ?? '', '.git', 'info', 'exclude'), pick(RULES));
  },
];

/** Whether there may be another step before a look. */
function step(random: Random, root: string, watched: ReadonlyMap<string, number>, outside: string, count: number): boolean {
  try {
    return random.pick(STEPS)(random, see(root, watched), outside, count) !== LOOK_NOW;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return true;
  }
}

/** What a snapshot would hold after the entries were read anew. */
function reread(snapshot: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>, entries: readonly OverlayEntry[]): Map<string, string> {
  const isRead = (one: string): boolean =>
    entries.some(({ kind, path: at }) => (kind === 'FILE' ? at === one : at === '' || at === one || one.startsWith(`${at}/`)));
  return new Map([...[...snapshot].filter(([one]) => !isRead(one)), ...[...now].filter(([one]) => isRead(one))]);
}

/** A link into a directory that the walk does not enter is told by nobody (docs/index-watch.md 4); so histories with one prove nothing. */
function hasUntoldLink({ root, indexed }: WatchRig): boolean {
  const walked = new Set([...contents(indexed).keys()]);
  return see(root, new Map()).files.some((file) => lstatSync(file).nlink > 1 && !walked.has(Buffer.from(path.relative(root, file)).toString('latin1')));
}

async function history(seed: number): Promise<{ readonly vetoes: number; readonly told: number }> {
  const random = createRandom(seed);
  using rig = createWatchRig();
  using other = createWatchRig();
  const { root, indexed, watch } = rig;
  for (let count = 0; count < 15; count += 1) step(random, root, new Map(), other.root, -count);
  await armAndPublish(watch);
  let snapshot = contents(indexed);
  const tally = { vetoes: 0, told: 0 };
  for (let count = 0; count < 40; count += 1) {
    const watched = walkedDirectories(rig);
    for (let more = random.integer(3); more >= 0 && step(random, root, watched, other.root, count); more -= 1);
    if (hasUntoldLink(rig)) return tally;
    watch.look();
    if (watch.veto === null) {
      const lost = missed(snapshot, contents(indexed), watch.overlay());
      if (lost.length > 0) throw new Error(`seed ${seed}, step ${count}: ${JSON.stringify(lost)} ${JSON.stringify(watch.overlay())}`);
      tally.told += 1;
    } else tally.vetoes += 1;

    if (watch.veto !== null || random.chance(0.1)) {
      const armed = await watch.arm();
      if (!armed.ok) throw new Error(armed.refused);
      snapshot = contents(indexed);
      step(random, root, new Map(), other.root, count);
      watch.publish(complete({ coveredThrough: armed.seq, lifts: { through: armed.seq } }));
    } else if (random.chance(0.4)) {
      const { entries } = await watch.pending(1 + random.integer(20));
      const next = reread(snapshot, contents(indexed), entries);
      step(random, root, new Map(), other.root, count);
      watch.publish(complete({ covered: entries }));
      snapshot = next;
    }
  }
  return tally;
}

describe('the watch over a tree that changes', () => {
  it('knows of every file that differs, or allows nothing, after each step of a random history', { tags: ['FR-LSI-TRK-04'] }, async () => {
    const tallies = [];
    for (let seed = 1; seed <= 20; seed += 1) tallies.push(await history(seed));
    const told = tallies.reduce((sum, each) => sum + each.told, 0);
    const vetoes = tallies.reduce((sum, each) => sum + each.vetoes, 0);
    expect(told).toBeGreaterThan(vetoes);
  });
});
