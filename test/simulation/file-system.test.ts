import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ConfinedDirectory, ConfinedFile, FsResult } from '../../src/core/ports/index.ts';
import { createConfinedRig, must, refusalOf } from '../support/confined-fs.ts';
import { createRandom, type Random } from '../support/random.ts';
import { scenarioOf } from './draw.ts';
import { SimProcess } from './scheduler.ts';
import { Disk } from './twins/disk.ts';
import { createFileSystemTwin } from './twins/file-system.ts';
import { World } from './world.ts';

type Directories = Readonly<Record<'in' | 'out', ConfinedDirectory>>;
type Step = (directories: Directories) => Promise<unknown>;

const NAMES = ['a', 'b', 'c', 'd'];
const SEQUENCES = 20;
const STEPS = 60;

/** One random call of the port; what it answers is compared. */
function stepOf(random: Random): { readonly says: string; readonly run: Step } {
  const [from, to] = [random.pick(['in', 'out'] as const), random.pick(['in', 'out'] as const)];
  const [name, other] = [random.pick(NAMES), random.pick(NAMES)];
  const steps: readonly { readonly says: string; readonly run: Step }[] = [
    { says: `create ${from}/${name}`, run: async (at) => closed(await at[from].createFile(name)) },
    { says: `open ${from}/${name}`, run: async (at) => closed(await at[from].openFile(name)) },
    { says: `directory ${from}/${name}`, run: async (at) => refusalOf(await at[from].makeDirectory(name, 0o755)) },
    { says: `rename ${from}/${name} ${to}/${other}`, run: async (at) => refusalOf(await at[from].renameNoReplace(name, at[to], other)) },
    { says: `link ${from}/${name} ${to}/${other}`, run: async (at) => refusalOf(await at[from].link(name, at[to], other)) },
    { says: `unlink ${from}/${name}`, run: async (at) => refusalOf(await at[from].unlink(name)) },
    { says: `names ${from}`, run: async (at) => [...must(await at[from].names())].sort() },
    { says: `entry ${from}/${name}`, run: (at) => look(at[from], name) },
    { says: `copy ${from}/${name} ${to}/${other}`, run: (at) => copy(at[from], name, at[to], other) },
  ];
  return random.pick(steps);
}

async function closed(result: FsResult<ConfinedFile>): Promise<string> {
  if (result.ok) await result.value.close();
  return refusalOf(result);
}

async function look(directory: ConfinedDirectory, name: string): Promise<unknown> {
  const entry = await directory.entry(name);
  if (!entry.ok) return entry.refusal;
  const { type, nlink, size } = entry.value;
  return type === 'file' ? { type, nlink, size } : type;
}

async function copy(from: ConfinedDirectory, name: string, to: ConfinedDirectory, other: string): Promise<unknown> {
  const source = await from.openFile(name);
  if (!source.ok) return source.refusal;
  const target = await to.createFile(other);
  if (!target.ok) {
    await source.value.close();
    return target.refusal;
  }
  const copied = await source.value.copyTo(target.value);
  const synced = await target.value.sync();
  await Promise.all([source.value.close(), target.value.close()]);
  return [copied.ok && copied.value, refusalOf(synced)];
}

/** The twin, with a scheduler that carries out each call as soon as it is made. */
async function twin(): Promise<{ readonly directories: Directories; readonly driven: <T>(work: Promise<T>) => Promise<T> }> {
  const world = new World({ ...scenarioOf(1), renames: true, faults: [], calls: [] }, false);
  const disk = new Disk(world);
  disk.mount('/data', '1', ['in', 'out']);
  const driven = async <T>(work: Promise<T>): Promise<T> => {
    let over = false;
    const ended = work.finally(() => {
      over = true;
    });
    while (!over) await world.scheduler.run(() => over, { untilMs: Number.POSITIVE_INFINITY, events: Number.POSITIVE_INFINITY });
    return ended;
  };
  const fileSystem = createFileSystemTwin(world, new SimProcess('process', world.scheduler), disk);
  const base = await driven(fileSystem.openBase('data', '/data'));
  const open = async (name: string): Promise<ConfinedDirectory> => must(await driven(base.directory([name])));
  return { directories: { in: await open('in'), out: await open('out') }, driven };
}

describe('the file system of the simulation', () => {
  it('answers as the real one does, whatever is asked in whatever order', async () => {
    for (let seed = 1; seed <= SEQUENCES; seed += 1) {
      const random = createRandom(seed);
      const rig = await createConfinedRig('openat2');
      for (const name of ['in', 'out']) mkdirSync(path.join(rig.inside, name));
      const real: Directories = { in: await rig.open('in'), out: await rig.open('out') };
      const { directories, driven } = await twin();
      const said: string[] = [];
      for (let step = 0; step < STEPS; step += 1) {
        const { says, run } = stepOf(random);
        said.push(says);
        expect(await driven(run(directories)), `seed ${seed}: ${said.join(', ')}`).toEqual(await run(real));
      }
      await rig.close();
    }
  });
});
