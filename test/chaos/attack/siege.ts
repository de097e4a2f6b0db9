import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openJournalDatabase } from '../../../src/adapters/sqlite/journal/journal-open.ts';
import type { ExecutionResult } from '../../../src/contracts/index.ts';
import { startAttacker } from '../../support/attacker-process.ts';
import { createTripwire } from '../../support/attacker-tripwire.ts';
import { patient } from '../../support/patience.ts';
import { manifestOf, type Rig, startRig } from '../../support/rig.ts';
import { layOut } from './ground.ts';

export interface SiegeReport {
  readonly level: 'openat2' | 'walk';
  readonly seconds: number;
  /** Exchanges that the attacker managed. */
  readonly swaps: number;
  readonly tasks: number;
  /** Objects outside that were opened, read or changed; and names of results that are no regular file with a content of ours. */
  readonly escapes: readonly string[];
  /** Contents that a task moved and that are nowhere below the base afterwards. */
  readonly vanished: readonly string[];
  readonly succeeded: number;
  /** Refused before anything was done. */
  readonly refused: number;
  /** Done, found wanting, and taken back without replacing anything. */
  readonly reverted: number;
  /** Kept where it ended, with an incident for the operator. */
  readonly reported: number;
}

const LANES = 16;

/**
 * A stream of tasks through directories and files that another process exchanges for links and each other as fast as it can.
 *
 * @param least it goes on, also after `seconds`, until so many tasks have succeeded and as many were refused
 */
export async function siege(level: 'openat2' | 'walk', seconds: number, least = 0): Promise<SiegeReport> {
  const root = fs.mkdtempSync(path.join(tmpdir(), 'writ-siege-'));
  const ground = layOut(root);
  const tripwire = createTripwire();
  const rig = await startRig({ bases: { besieged: ground.base }, config: { file: { confinement: level }, crypto: { implementation: 'node' } } });
  try {
    await rig.startWorker();
    // What the start itself looked at does not count.
    for (const file of ground.outsideFiles) tripwire.watch(file);
    using attacker = await startAttacker(ground.base);
    const tally = createTally();
    const end = performance.now() + seconds * 1000;
    // How a task meets the attacker is chance: it goes on until enough have.
    const goesOn = (): boolean => performance.now() < end || (least > 0 && !attacker.isAtIt) || Math.min(tally.succeeded, tally.refused) < least;
    await Promise.all(Array.from({ length: LANES }, (_, lane) => stream(rig, ground, lane, goesOn, tally)));
    const swaps = await attacker.stop();

    const events = tripwire.events();
    const outside = [...(events > 0 ? [`${events} events outside`] : []), ...(ground.outsideUnchanged() ? [] : ['the tree outside changed'])];
    const standing = new Set(ground.contents());
    const { made, escapes, ...counts } = tally;
    return {
      level,
      seconds,
      swaps,
      ...counts,
      escapes: [...outside, ...escapes, ...[...standing].filter((content) => content.startsWith('outside'))],
      vanished: made.filter((content) => !standing.has(content)),
      reported: incidents(rig),
    };
  } finally {
    tripwire.close();
    await rig.stop();
    fs.rmSync(root, { recursive: true, force: true });
  }
}

function createTally() {
  return { tasks: 0, succeeded: 0, refused: 0, reverted: 0, escapes: [] as string[], made: [] as string[] };
}
type Tally = ReturnType<typeof createTally>;
type Ground = ReturnType<typeof layOut>;

/** One lane: files in through a besieged directory, out again, copies of a besieged file, deletes. */
async function stream(rig: Rig, { base, at }: Ground, lane: number, goesOn: () => boolean, tally: Tally): Promise<void> {
  for (let n = 0; goesOn(); n += 1) {
    const name = `n${lane}-${n}`;
    const content = `content of ${name}`;
    fs.writeFileSync(at('stock', name), content);
    tally.made.push(content);
    const tasks = [
      manifestOf('FILE_MOVE', at('stock', name), at('real/a/deep', name)),
      manifestOf('FILE_MOVE', at('real/a/deep', name), at('drop', name)),
      manifestOf('FILE_COPY', at('flip', 'victim'), at('drop', `copy-${name}`)),
      manifestOf('FILE_COPY', at('stock', name), at('real/a', `copy-${name}`)),
      manifestOf('FILE_MOVE', at('flip', 'mover'), path.join(rig.otherBase, `mover-${name}`)),
      manifestOf('FILE_MOVE', path.join(rig.otherBase, `mover-${name}`), at('flip', 'mover')),
      manifestOf('FILE_DELETE', at('real/a/deep', name)),
    ];
    for (const manifest of tasks) {
      await rig.push(manifest);
      const result = await rig.answer(manifest.task_id, undefined, patient(60_000));
      judge(result, String(manifest.inputs['destination_path'] ?? ''), base, tally);
    }
  }
}

function judge(result: ExecutionResult, destination: string, base: string, tally: Tally): void {
  tally.tasks += 1;
  if (result.status === 'SUCCESS') {
    tally.succeeded += 1;
    // Only a directory that nobody exchanges can be looked at from here.
    if (destination.startsWith(path.join(base, 'drop'))) lookAt(destination, tally);
  } else if (/taken back/.test(result.error.message)) tally.reverted += 1;
  else tally.refused += 1;
}

function lookAt(destination: string, tally: Tally): void {
  const entry = fs.lstatSync(destination, { throwIfNoEntry: false });
  if (!entry?.isFile()) tally.escapes.push(`${destination} is no regular file`);
  else if (/outside/.test(fs.readFileSync(destination, 'utf8'))) tally.escapes.push(`${destination} holds what was outside`);
}

function incidents({ places }: Rig): number {
  const db = openJournalDatabase(places.journal, (opened) => opened, { readonly: true });
  try {
    return db.prepare<[], { count: number }>('SELECT count(*) AS count FROM incident').get()?.count ?? 0;
  } finally {
    db.close();
  }
}
