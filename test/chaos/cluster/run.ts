import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { queueShards } from '../../../queues/shards.ts';
import { evidencePath, minutesSince, revision, writeEvidence } from '../../../scripts/evidence.ts';
import { createRandom } from '../../support/random.ts';
import { startTestCluster } from '../../support/redis-cluster.ts';
import { type Rig, startRig } from '../../support/rig.ts';
import { slotOf } from '../../support/slots.ts';
import { bundleWorker } from '../bundle.ts';
import { failOver } from './failover.ts';
import { type Load, startLoad } from './load.ts';
import { startTeam, type Team } from './team.ts';
import type { ClusterWorkerSetup } from './worker-process.ts';

/**
 * `npm run test:long -- cluster [--rounds 12] [--workers 2] [--width 60] [--shards 4] [--seed 1]`: six redis-server
 * processes (three masters, three replicas), two pools with several workers each, tasks all the time. A round is one of:
 * a rolling restart of all workers, a worker killed, a master killed, a master killed whose replica lags behind.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '12' },
    workers: { type: 'string', default: '2' },
    width: { type: 'string', default: '60' },
    shards: { type: 'string', default: '4' },
    seed: { type: 'string', default: '1' },
    evidence: { type: 'string', default: evidencePath('cluster') },
  },
});
const [rounds, workers, width, shards, seed] = [values.rounds, values.workers, values.width, values.shards, values.seed].map(Number) as [
  number,
  number,
  number,
  number,
  number,
];
const CALM_MS = 2000;
const startedAt = new Date();
const commit = revision();
const random = createRandom(seed);
const setting = { shards, earlier_shards: [1] };
const cluster = await startTestCluster({ replicas: 1, nodeTimeoutMs: 1500 });
const bundle = bundleWorker('test/chaos/cluster/worker-process.ts');

const rigs: Rig[] = [];
const teams: Team[] = [];
const loads: Load[] = [];
for (const pool of ['default', 'west']) {
  const [first] = rigs;
  const rig = await startRig({
    cluster: cluster.target(),
    ...(first ? { keys: first.keys } : {}),
    config: { queue: setting, pool: { id: pool }, log: { level: 'warn' } },
  });
  const setupFile = join(rig.places.dataDir, 'setup.json');
  writeFileSync(setupFile, JSON.stringify({ config: rig.config, dataDir: rig.places.dataDir } satisfies ClusterWorkerSetup));
  rigs.push(rig);
  teams.push(await startTeam(bundle.worker, setupFile, join(rig.places.dataDir, 'workers.log'), workers));
}
for (const rig of rigs) loads.push(startLoad(rig, width, random));

const events: { kind: string; ms: number; promotedMs?: number; longestDrainMs?: number }[] = [];
let undrained = 0;
const KINDS = {
  async roll() {
    const rolled = await Promise.all(teams.map((team) => team.roll()));
    undrained += rolled.flatMap(({ codes }) => codes).filter((code) => code !== 0).length;
    return { longestDrainMs: Math.max(...rolled.map(({ longestMs }) => longestMs)) };
  },
  async 'worker-killed'() {
    await random.pick(teams).kill(random.integer(workers));
    return {};
  },
  'master-killed': () => failOver(cluster, anySlot(), false),
  'master-killed-replica-behind': () => failOver(cluster, anySlot(), true),
};
const ORDER = Object.keys(KINDS) as (keyof typeof KINDS)[];

for (let round = 0; round < rounds; round += 1) {
  await delay(CALM_MS);
  const kind = ORDER[round % ORDER.length] ?? 'roll';
  const began = performance.now();
  const found = await KINDS[kind]();
  events.push({ kind, ms: Math.round(performance.now() - began), ...found });
  process.stderr.write(`${round + 1}/${rounds} ${kind} ${JSON.stringify(found)} answered ${loads.map(({ counts }) => counts.answered).join(' + ')}\n`);
}
await delay(CALM_MS);
const busyMs = Date.now() - startedAt.getTime();
await Promise.all(loads.map((load) => load.finish()));
const status = await Promise.all(rigs.map(leftovers));
for (const team of teams) await team.stop();

const sum = (name: keyof Load['counts']): number => loads.reduce((all, { counts }) => all + counts[name], 0);
const counts = Object.fromEntries(Object.keys(loads[0]?.counts ?? {}).map((name) => [name, sum(name as keyof Load['counts'])]));
const times = loads.flatMap(({ answers }) => answers.map(({ ms }) => ms)).sort((a, b) => a - b);
const at = (share: number): number => Math.round(times[Math.floor(times.length * share)] ?? Number.NaN);
const deaths = teams.reduce((all, team) => all + team.deaths, 0);
const violations = { doubled: sum('doubled'), lost: sum('lost'), wrong: sum('wrong'), undrained, deaths, open: status.reduce((all, one) => all + one, 0) };
const passed = Object.values(violations).every((count) => count === 0) && sum('answered') === sum('tasks');
const load = { pools: rigs.length, workersPerPool: workers, tasksUnderWay: width * rigs.length, shards, nodes: cluster.ports.length };
const report = {
  ...{ suite: 'cluster', passed, seed, rounds, load, violations, counts },
  answerMs: { p50: at(0.5), p99: at(0.99), longest: at(0.999999) },
  tasksPerS: Math.round(sum('answered') / (busyMs / 1000)),
  ...{ events, words: loads.flatMap(({ words }) => words) },
};
writeEvidence(values.evidence, { ...report, startedAt: startedAt.toISOString(), minutes: minutesSince(startedAt.getTime()), commit });
process.stdout.write(`${JSON.stringify({ ...report, events: events.length })}\n${values.evidence}\n`);
if (!passed) for (const rig of rigs) process.stderr.write(troubles(rig));
for (const rig of rigs) await rig.stop();
await cluster.stop();
bundle.remove();
process.exit(passed ? 0 : 1);

/** A slot that holds a shard of the queues. */
function anySlot(): number {
  return slotOf(random.pick(queueShards(setting).own));
}

/** Attempts that are open in a pool's journal at the end. */
async function leftovers(rig: Rig): Promise<number> {
  const { createInProcessJournal } = await import('../../../src/adapters/sqlite/journal/journal-in-process.ts');
  const journal = createInProcessJournal({ file: rig.places.journal });
  await journal.start();
  const open = await journal.openAttempts();
  await journal.stop();
  return open.length;
}

/** The last lines of the workers' log beside those that every lost lock writes. */
function troubles(rig: Rig): string {
  const lines = readFileSync(join(rig.places.dataDir, 'workers.log'), 'utf8').split('\n');
  return lines
    .filter((line) => !/could not renew lock|(Missing|mismatch).*lock|Lock mismatch/i.test(line))
    .slice(-40)
    .join('\n');
}
