import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ConfinedBase, ConfinedDirectory, FsResult } from '../../src/core/ports/confined-fs.ts';
import { startAttacker } from './attacker-process.ts';
import { createTripwire } from './attacker-tripwire.ts';
import { must } from './confined-fs.ts';

export interface AttackReport {
  /** Exchanges that the attacker managed. */
  readonly swaps: number;
  /** Outcome → how often, per call: `directory: ok`, `entry: symlink`. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** Objects from outside that a call opened or named. */
  readonly escapes: readonly string[];
  /** Opens, reads and changes outside that the kernel reported. */
  readonly outsideEvents: number;
  /** Whether the tree outside is the same to the nanosecond. */
  readonly outsideUnchanged: boolean;
}

export interface AttackOptions {
  /** It goes on for so long at least, and until the attacker is at it and the race has come to what is wanted of it. */
  readonly seconds: number;
  readonly openBase: (path: string) => Promise<ConfinedBase>;
  readonly hasMet: (soFar: Progress) => boolean;
}

/** What the calls have come to so far. */
export type Progress = Pick<AttackReport, 'outcomes' | 'escapes'> & {
  readonly outsideUnchanged: () => boolean;
  readonly outsideEvents: () => number;
};

/**
 * Calls of a confined base against a process that exchanges its directories and files with links, FIFOs and each
 * other, for `seconds` at least. Used by the tests (1 s) and by `npm run test:long` (30 s).
 */
export async function attack({ seconds, openBase, hasMet }: AttackOptions): Promise<AttackReport> {
  const field = layOut();
  const tripwire = createTripwire();
  for (const file of field.outsideFiles) tripwire.watch(file);
  const base = await openBase(field.base);
  using attacker = await startAttacker(field.base);
  let events = 0;
  const outsideEvents = (): number => {
    events += tripwire.events();
    return events;
  };

  const defence = createDefence(base, field.outsideInodes);
  try {
    const end = performance.now() + seconds * 1000;
    const progress = (): Progress => ({ ...defence.result(), outsideEvents, outsideUnchanged: field.outsideUnchanged });
    // A race cannot be forced: it goes on until it was one.
    const goesOn = (): boolean => performance.now() < end || !attacker.isAtIt || !hasMet(progress());
    await Promise.all(Array.from({ length: 6 }, (_, lane) => defence.run(lane, goesOn)));
    const swaps = await attacker.stop();
    const report = { swaps, ...defence.result(), outsideEvents: outsideEvents(), outsideUnchanged: field.outsideUnchanged() };
    fs.readFileSync(path.join(field.outside, 'a/victim'));
    if (tripwire.events() === 0) throw new Error('the tripwire does not ring');
    return report;
  } finally {
    await base.close();
    tripwire.close();
    fs.rmSync(path.dirname(field.base), { recursive: true });
  }
}

/** Inside: `real/a/deep`, `flip`, `drop`. Outside: the same names, for every link to lead there. */
function layOut() {
  const root = fs.mkdtempSync(path.join(tmpdir(), 'writ-attack-'));
  const [base, outside] = [path.join(root, 'base'), path.join(root, 'outside')];
  for (const directory of ['real/a/deep', 'other/deep', 'flip/victim.dir', 'drop']) fs.mkdirSync(path.join(base, directory), { recursive: true });
  for (const directory of ['a/deep', 'flip']) fs.mkdirSync(path.join(outside, directory), { recursive: true });
  for (const name of ['a/victim', 'a/deep/victim', 'flip/victim', 'mover']) fs.writeFileSync(path.join(outside, name), 'outside');
  for (const name of ['real/a/deep/victim', 'other/deep/victim', 'flip/victim', 'flip/mover']) fs.writeFileSync(path.join(base, name), 'inside');
  fs.symlinkSync(path.join(outside, 'a'), path.join(base, 'real/a.link'));
  fs.symlinkSync('../../../outside/a/deep', path.join(base, 'real/a/deep.link'));
  fs.symlinkSync('../../outside/flip/victim', path.join(base, 'flip/victim.link'));
  fs.symlinkSync(path.join(outside, 'mover'), path.join(base, 'flip/mover.link'));
  execFileSync('mkfifo', [path.join(base, 'flip/victim.fifo')]);

  const outsideFiles = [outside, ...(fs.readdirSync(outside, { recursive: true }) as string[]).map((name) => path.join(outside, name))];
  const picture = (): string[] =>
    outsideFiles.map((file) =>
      JSON.stringify(fs.lstatSync(file, { bigint: true }), (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
    );
  const before = picture();
  const outsideInodes = new Set(outsideFiles.map((file) => String(fs.lstatSync(file, { bigint: true }).ino)));
  return { base, outside, outsideFiles, outsideInodes, outsideUnchanged: () => picture().join('\n') === before.join('\n') };
}

function createDefence(base: ConfinedBase, outsideInodes: ReadonlySet<string>) {
  const outcomes: Record<string, number> = {};
  const escapes: string[] = [];
  function tally<T>(call: string, result: FsResult<T>): FsResult<T> {
    const key = `${call}: ${result.ok ? 'ok' : result.refusal}`;
    outcomes[key] = (outcomes[key] ?? 0) + 1;
    return result;
  }
  const check = (call: string, ino: string): void => {
    if (outsideInodes.has(ino)) escapes.push(`${call} reached inode ${ino}`);
  };

  async function openAndWrite(drop: ConfinedDirectory, name: string): Promise<void> {
    const opened = tally('directory', await base.directory(['real', 'a', 'deep']));
    if (!opened.ok) return;
    const directory = opened.value;
    check('directory', directory.identity.ino);
    const entry = tally('entry in it', await directory.entry('victim'));
    if (entry.ok) check('entry in it', entry.value.ino);
    const created = tally('create', await directory.createFile(name));
    if (created.ok) await created.value.close();
    tally('rename out', await directory.renameNoReplace(name, drop, name));
    tally('unlink', await drop.unlink(name));
    await directory.close();
  }

  async function openAndRead(flip: ConfinedDirectory): Promise<void> {
    const entry = tally('entry', await flip.entry('victim'));
    if (entry.ok) check('entry', entry.value.ino);
    const opened = tally('open', await flip.openFile('victim'));
    if (!opened.ok) return;
    const buffer = Buffer.alloc(16);
    const text = buffer.toString('utf8', 0, must(await opened.value.read(buffer, 0)));
    check('open', (await opened.value.stat()).ino);
    if (text !== 'inside') escapes.push(`read '${text}'`);
    await opened.value.close();
  }

  async function moveThereAndBack(flip: ConfinedDirectory, drop: ConfinedDirectory, name: string): Promise<void> {
    if (!tally('move', await flip.renameNoReplace('mover', drop, name)).ok) return;
    const entry = must(await drop.entry(name));
    check('move', entry.ino);
    must(await drop.renameNoReplace(name, flip, 'mover'));
  }

  return {
    async run(lane: number, goesOn: () => boolean): Promise<void> {
      const [flip, drop] = [must(await base.directory(['flip'])), must(await base.directory(['drop']))];
      for (let i = 0; goesOn(); i++) {
        await openAndWrite(drop, `n${lane}-${i}`);
        await openAndRead(flip);
        await moveThereAndBack(flip, drop, `m${lane}-${i}`);
        // Without this a stream of calls that the kernel answers at once would never let the event loop turn.
        await new Promise((resolve) => setImmediate(resolve));
      }
      await Promise.all([flip.close(), drop.close()]);
    },
    result: () => ({ outcomes, escapes }),
  };
}
