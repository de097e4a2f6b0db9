import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sha256Hex } from '../../../src/core/hash.ts';
import type { BasePath, Task } from '../../../src/core/ports/index.ts';
import type { CrashPoint, FileExecutor } from '../../../src/executors/file/index.ts';
import { contents, copyTask, createFileRig, deleteTask, deliver, ending, type FileRig, moveTask, put, SimulatedCrash } from '../../support/file-executor.ts';
import { withFaults, withoutNoReplace } from './faults.ts';

/**
 * Every crash point x every way that a file takes x what others do to source and destination before recovery. The
 * expectations are written down here by hand, from what a person would call right, not from the product's tables.
 */

/** What somebody does to the name between crash and recovery. `other`: another file under the source's name. */
const SOURCES = ['left', 'changed', 'other', 'gone'] as const;
const DESTINATIONS = ['left', 'replaced', 'gone'] as const;
type SourceDeed = (typeof SOURCES)[number];
type DestinationDeed = (typeof DESTINATIONS)[number];

/** `ok`; or the words of the failure; with an exclamation mark, an incident is on record. */
type Expected = string;
type Grid = Record<SourceDeed, readonly [left: Expected, replaced: Expected, gone: Expected]>;

const every = (left: Expected, replaced: Expected, gone: Expected): Grid => {
  const row = [left, replaced, gone] as const;
  return { left: row, changed: row, other: row, gone: row };
};

const EXISTS = 'destination exists';
const UNKNOWN = '!outcome unknown';

/** Nothing of ours is visible, and a rename either happened or did not. */
const beforeRename: Grid = {
  left: ['ok', EXISTS, 'ok'],
  changed: ['source changed', 'source changed', 'source changed'],
  other: [UNKNOWN, UNKNOWN, UNKNOWN],
  gone: [UNKNOWN, UNKNOWN, UNKNOWN],
};
/** The source's name is free, the file stands at its destination. */
const afterRename = every('ok', UNKNOWN, UNKNOWN);
/** One file under both names; without the destination's, the other name may be anywhere. */
const afterLink: Grid = {
  left: ['ok', UNKNOWN, UNKNOWN],
  changed: ['ok', UNKNOWN, UNKNOWN],
  other: ['ok', UNKNOWN, UNKNOWN],
  gone: ['ok', UNKNOWN, UNKNOWN],
};
/** At most an unfinished temporary file. */
const beforeSeal: Grid = {
  left: ['ok', EXISTS, 'ok'],
  changed: ['source changed', EXISTS, 'source changed'],
  other: ['source changed', EXISTS, 'source changed'],
  gone: ['source does not exist', EXISTS, 'source does not exist'],
};
/** A complete temporary file. */
const sealed: Grid = {
  left: ['ok', EXISTS, 'ok'],
  changed: ['source changed', EXISTS, 'source changed'],
  other: ['source changed', EXISTS, 'source changed'],
  gone: ['source changed', EXISTS, 'source changed'],
};
const copied = every('ok', UNKNOWN, UNKNOWN);
/** A move's copy stands, the journal may not know it yet. */
const standing: Grid = {
  left: ['ok', UNKNOWN, UNKNOWN],
  changed: ['!source changed during the move', UNKNOWN, UNKNOWN],
  other: ['!source changed during the move', UNKNOWN, UNKNOWN],
  gone: ['!source disappeared', UNKNOWN, UNKNOWN],
};
const recorded: Grid = {
  left: ['ok', UNKNOWN, UNKNOWN],
  changed: ['!source changed during the move', '!source changed during the move', '!source changed during the move'],
  other: ['!source changed during the move', '!source changed during the move', '!source changed during the move'],
  gone: ['!source disappeared', UNKNOWN, UNKNOWN],
};
const retired = every('ok', 'ok', 'ok');

type Plan = Partial<Record<CrashPoint, Grid>>;
const RENAME: Plan = { intent: beforeRename, M1: afterRename, M2: afterRename, 'before-close': afterRename };
const LINK: Plan = { intent: beforeRename, L1: afterLink, L2: afterRename, M2: afterRename, 'before-close': afterRename };
const BUILD: Plan = { intent: beforeSeal, C1: beforeSeal, C2: beforeSeal, C3: beforeSeal, sealed };
const COPY: Plan = { ...BUILD, C4: copied, C5: copied, 'before-close': copied };
const ACROSS: Plan = { ...BUILD, C4: standing, C5: standing, published: recorded, X6: recorded, X7: retired, X8: retired, 'before-close': retired };

interface Way {
  readonly plan: Plan;
  readonly without?: 'noreplace';
  readonly task: (rig: FileRig, source: string, name: string) => Task;
  readonly from: (rig: FileRig) => string;
}

const WAYS: Record<string, Way> = {
  'a move by rename': { plan: RENAME, from: (r) => r.near, task: (r, s, n) => moveTask(s, `${r.next}/${n}/to`) },
  'a delete by rename': { plan: RENAME, from: (r) => r.near, task: (_, s) => deleteTask(s) },
  'a move by link': { plan: LINK, without: 'noreplace', from: (r) => r.near, task: (r, s, n) => moveTask(s, `${r.next}/${n}/to`) },
  'a delete by link': { plan: LINK, without: 'noreplace', from: (r) => r.near, task: (_, s) => deleteTask(s) },
  'a copy to another file system': { plan: COPY, from: (r) => r.far, task: (r, s, n) => copyTask(s, `${r.near}/${n}/to`) },
  'a copy without NOREPLACE': { plan: COPY, without: 'noreplace', from: (r) => r.near, task: (r, s, n) => copyTask(s, `${r.near}/${n}/to`) },
  'a move across file systems': { plan: ACROSS, from: (r) => r.near, task: (r, s, n) => moveTask(s, `${r.far}/${n}/to`) },
  'a move across file systems without NOREPLACE': {
    plan: ACROSS,
    without: 'noreplace',
    from: (r) => r.far,
    task: (r, s, n) => moveTask(s, `${r.near}/${n}/to`),
  },
};

let rig: FileRig;
const crashAt = new Map<string, CrashPoint>();
/** Crashes where `crashAt` says; the second one recovers. */
const pairs = new Map<string, { crasher: FileExecutor; recoverer: FileExecutor }>();

beforeAll(async () => {
  // Most of the time goes into fsyncs, which cost nothing in memory.
  rig = await createFileRig({ near: '/dev/shm', far: tmpdir() });
  for (const kind of ['real', 'noreplace']) {
    const fileSystem = kind === 'real' ? rig.fileSystem : withFaults(rig.fileSystem, withoutNoReplace);
    const onPoint = (point: CrashPoint, taskId: string): void => {
      if (crashAt.get(taskId) === point) throw new SimulatedCrash(point);
    };
    pairs.set(kind, { crasher: await rig.executor({ fileSystem, onPoint }), recoverer: await rig.executor({ fileSystem }) });
  }
});
// Each case looks into the vaults again and again: those that are over need not be among what it reads.
afterEach(() => bases().forEach(emptyVault));
afterAll(() => rig.close());

/** More than the cases that are played at once put on record. */
const NEWEST = 100;
const ORIGINAL = 'the original bytes';

function fileOf({ base, segments }: BasePath): string {
  return path.join(base === 'near' ? rig.near : base === 'next' ? rig.next : rig.far, ...segments);
}

/** Runs one case; returns what a reader of a failed test wants to see. */
async function play(way: Way, name: string, point: CrashPoint, source: SourceDeed, destination: DestinationDeed): Promise<string> {
  const from = await put(way.from(rig), `${name}/from`, `${ORIGINAL} of ${name}`);
  for (const base of bases()) mkdirSync(path.join(base, name, 'taken'), { recursive: true });
  const task = way.task(rig, from, name);
  const { crasher, recoverer } = pairs.get(way.without ?? 'real') ?? {};
  if (!crasher || !recoverer) throw new Error('no executors');
  crashAt.set(task.manifest.task_id, point);
  await expect(deliver(crasher, task)).rejects.toThrow(SimulatedCrash);

  const { open } = await rig.journal.view(task.manifest.task_id);
  if (!open) throw new Error('no open attempt');
  const to = fileOf(open.destination);
  disturb(from, source, source === 'changed' ? 'changed' : source === 'other' ? 'other' : 'gone', name);
  disturb(to, destination, destination === 'replaced' ? 'other' : 'gone', name);
  const before = await world(name, task.manifest.task_id);

  const end = await ending(deliver(recoverer, task));
  const after = await world(name, task.manifest.task_id);
  const incidents = (await rig.journal.incidents(NEWEST)).filter(({ taskId }) => taskId === task.manifest.task_id).length;
  const again = await ending(deliver(recoverer, { ...task, epoch: 2 }));
  const later = await world(name, task.manifest.task_id);

  const words = end === 'SUCCESS' ? 'ok' : `${incidents > 0 ? '!' : ''}${end}`;
  const problems = [
    ...conserved(before, after),
    ...untouchedForeigners(before, after),
    ...Object.keys(after)
      .filter((file) => file.includes('.writ-tmp-'))
      .map((file) => `left ${file}`),
    ...(end === 'SUCCESS' && again !== 'SUCCESS' ? [`then ${again}`] : []),
    ...(end === 'SUCCESS' && JSON.stringify(after) !== JSON.stringify(later) ? ['a second delivery changed files'] : []),
    ...doubled(task, after, name, end),
  ];
  return [words, ...problems].join(' | ');
}

/** What others do: in-place writes, another file under the name, taking the file away. Nobody destroys bytes. */
function disturb(file: string, deed: SourceDeed | DestinationDeed, how: 'changed' | 'other' | 'gone', name: string): void {
  if (deed === 'left') return;
  const exists = existsSync(file);
  if (how === 'changed' && exists) {
    appendFileSync(file, ' and more');
    return;
  }
  if (exists) {
    const { ino } = statSync(file);
    const base = bases().find((directory) => file.startsWith(directory)) ?? '';
    renameSync(file, path.join(base, name, 'taken', `${path.basename(file)}-${ino}`));
  }
  if (how !== 'gone') writeFileSync(file, `foreign, at ${file}`);
}

const bases = (): readonly string[] => [rig.near, rig.next, rig.far];

function emptyVault(base: string): void {
  const vault = path.join(base, '.writ-vault');
  for (const entry of readdirSync(vault)) if (entry !== '.writ-mark') rmSync(path.join(vault, entry));
}

/** All files that belong to one case, wherever they are. */
async function world(name: string, taskId: string): Promise<Record<string, string>> {
  const all: Record<string, string> = {};
  const hash = sha256Hex(taskId).slice(0, 40);
  for (const base of bases()) {
    for (const [file, text] of Object.entries(await contents(path.join(base, name)))) all[path.join(base, name, file)] = text;
    const vault = path.join(base, '.writ-vault');
    for (const entry of readdirSync(vault)) {
      if (entry.includes(hash)) all[path.join(vault, entry)] = readFileSync(path.join(vault, entry), 'utf8');
    }
  }
  return all;
}

function conserved(before: Record<string, string>, after: Record<string, string>): string[] {
  const left = new Set(Object.values(after));
  return [...new Set(Object.entries(before).flatMap(([file, text]) => (file.includes('.writ-tmp-') ? [] : [text])))]
    .filter((text) => !left.has(text))
    .map((text) => `lost "${text}"`);
}

function untouchedForeigners(before: Record<string, string>, after: Record<string, string>): string[] {
  return Object.entries(before).flatMap(([file, text]) => (text.includes('foreign') && after[file] !== text ? [`touched ${file}`] : []));
}

/** How often the original is to be seen outside of vaults, and outside of what others took. */
function doubled(task: Task, after: Record<string, string>, name: string, end: string): string[] {
  const visible = Object.entries(after)
    .filter(([file, text]) => text.startsWith(ORIGINAL) && !file.includes('.writ-') && !file.includes('/taken/'))
    .map(([file]) => file);
  const most = task.manifest.capability_id === 'FILE_COPY' ? 2 : end === 'SUCCESS' && task.manifest.capability_id === 'FILE_DELETE' ? 0 : 1;
  return visible.length > most ? [`${name} is visible as ${visible.join(' and ')}`] : [];
}

describe('after a crash', () => {
  let number = 0;
  for (const [title, way] of Object.entries(WAYS)) {
    for (const [point, grid] of Object.entries(way.plan)) {
      it(`${title} that was lost after ${point} ends as its files say, whoever touched them`, { tags: ['FE-24', 'FE-36'] }, async () => {
        const cases = SOURCES.flatMap((source) => DESTINATIONS.map((destination, column) => ({ source, destination, expected: grid[source][column] ?? '' })));
        const played = await Promise.all(
          cases.map(async ({ source, destination, expected }) => {
            number += 1;
            const found = await play(way, `case-${number}`, point as CrashPoint, source, destination);
            const fits =
              expected === 'ok'
                ? found === 'ok'
                : found.startsWith('!') === expected.startsWith('!') && found.includes(expected.replace('!', '')) && !found.includes(' | ');
            return fits ? [] : [`source ${source}, destination ${destination}: expected ${expected}, found ${found}`];
          }),
        );
        expect(played.flat()).toEqual([]);
      });
    }
  }
});
