import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { evidencePath, minutesSince, revision, writeEvidence } from '../../../scripts/evidence.ts';
import { runDamage } from '../../support/content/index-damage.ts';
import { type EqualityCount, runEquality } from '../../support/content/index-equality.ts';
import { hostMemory } from '../../support/content/million-memory.ts';
import { realBackends, temporaryDirectory } from '../../support/content/rig.ts';

/**
 * `npm run test:long -- content-index [--rounds 10000] [--damage 2000] [--files 1000000] [--seed N]`: the equality property of
 * the index over random histories with kills, mounts and bursts, with both backends, by events and by looking at files; its
 * files damaged in every way at every phase; and the memory of a host with a million files, which lie in memory themselves.
 * A part with the count 0 is left out.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '10000' },
    damage: { type: 'string', default: '2000' },
    files: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    evidence: { type: 'string', default: evidencePath('content-index') },
  },
});

/** Changes and searches of one tree. */
const ROUNDS_PER_TREE = 100;

/** What is done with which share of the rounds. */
const PARTS = [
  { name: 'rg, by events', backend: 'rg', level: 'inotify', share: 0.45 },
  { name: 'ugrep, by events', backend: 'ugrep', level: 'inotify', share: 0.45 },
  { name: 'rg, by looking at files', backend: 'rg', level: 'stat', share: 0.1 },
] as const;

/** A file system in memory: no disk decides how long a million files take. */
const MEMORY = '/dev/shm';
const HOST_BYTES = 400_000_000;

const started = Date.now();
const seed = Number(values.seed);
const backends = await realBackends();
const folder = temporaryDirectory('index-long');
const parts: Record<string, object | string> = {};

for (const { name, backend, level, share } of PARTS) {
  const trees = Math.ceil((Number(values.rounds) * share) / ROUNDS_PER_TREE);
  if (trees === 0) continue;
  await part(name, () => runEquality({ seed, folder, backend: backends[backend], trees, roundsPerTree: ROUNDS_PER_TREE, kills: 0.03, bursts: 0.01, level }));
}
const treesOfDamage = (share: number): number => Math.ceil((Number(values.damage) * share) / ROUNDS_PER_TREE);
const damaged = { seed, folder, backend: backends.rg, roundsPerTree: ROUNDS_PER_TREE };
if (Number(values.damage) > 0) {
  await part('damage, on the disk', () => runDamage({ ...damaged, trees: treesOfDamage(0.9) }));
  await part('damage, in memory', () => runDamage({ ...damaged, trees: treesOfDamage(0.1), inMemory: true }));
}

if (Number(values.files) > 0) await part('memory of the host', () => memory(Number(values.files)));

const passed = Object.values(parts).every((count) => typeof count !== 'string');
writeEvidence(values.evidence, { ...{ suite: 'content-index', commit: revision(), seed, passed, minutes: minutesSince(started) }, parts });
rmSync(folder, { recursive: true, force: true });
process.stdout.write(`${values.evidence}\n`);
process.exit(passed ? 0 : 1);

async function memory(files: number): Promise<object> {
  const found = await hostMemory({ parent: MEMORY, files, bytes: 300, changed: 1000, backend: 'rg' });
  const peak = Math.max(found.builtBytes, found.updatedBytes, found.validatedBytes);
  if (peak > HOST_BYTES) throw new Error(`the host took ${peak} bytes: ${JSON.stringify(found)}`);
  return found;
}

async function part(name: string, run: () => Promise<EqualityCount | object>): Promise<void> {
  try {
    parts[name] = await run();
  } catch (error) {
    parts[name] = error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
  process.stdout.write(`${name}: ${JSON.stringify(parts[name])}\n`);
}
