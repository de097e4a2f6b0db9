import { parseArgs } from 'node:util';
import { evidencePath, minutesSince, revision, writeEvidence } from '../../../scripts/evidence.ts';
import { startInstallation } from '../door/installation.ts';
import { residentMib, schedulingOf } from '../door/role-process.ts';
import { DESCRIPTORS_BESIDE, startCrowd } from './crowd.ts';
import { SLOW_KIND_NAMES, SLOW_KINDS, type SlowKind } from './kinds.ts';
import { probe } from './probe.ts';

/** What must hold while all of them are there. Milliseconds, KiB of the API for each connection, and its own growth. */
const BOUNDS = { p99Ms: 2000, maxMs: 5000, kibPerClient: 64, mibBeside: 128, lateMs: 5000, openShare: 0.95 };
const SAMPLE_MS = 500;

/** `npm run test:long -- slow-clients [--clients 10000] [--seconds 75] [--seed n]` */
const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '10000' },
    seconds: { type: 'string', default: '75' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    evidence: { type: 'string', default: evidencePath('slow-clients') },
  },
});
const startedAt = new Date();
const commit = revision();
const [clients, seconds, seed] = [Number(values.clients), Number(values.seconds), Number(values.seed)];
const site = await startInstallation({ descriptors: clients + DESCRIPTORS_BESIDE });
const key = await site.key('honest');
const honest = { url: site.url, key, base: site.base };
const alone = await probe({ ...honest, name: 'alone', forMs: 3000 });
const before = residentMib(site.api.pid);

const crowd = await startCrowd({ url: site.url, clients, seed, key: (name) => site.key(name, ['submit', 'read']) });
let most = 0;
const opens: number[] = [];
let looking = Promise.resolve();
const sampling = setInterval(() => {
  most = Math.max(most, residentMib(site.api.pid));
  looking = looking.then(async () => {
    const open = Object.values(await crowd.report()).reduce((sum, group) => sum + group.open, 0);
    opens.push(open);
  });
}, SAMPLE_MS);
const ranBefore = schedulingOf(site.api.pid);
const held = await probe({ ...honest, name: 'held', forMs: seconds * 1000 });
clearInterval(sampling);
const ranAfter = schedulingOf(site.api.pid);
await looking;
const kinds = await crowd.report();
await crowd.leave();
const after = await probe({ ...honest, name: 'after', forMs: 2000 });
const memoryMib = { before, most, after: residentMib(site.api.pid) };
await site.stop();

opens.sort((a, b) => a - b);
const open = { fewest: opens[0], median: opens[Math.floor(opens.length / 2)], samples: opens.length };
// Tells a slow API from a busy host.
const tenths = (n: number): number => Math.round(n * 10) / 10;
const processor = { ranS: tenths(ranAfter.ranS - ranBefore.ranS), waitedS: tenths(ranAfter.waitedS - ranBefore.waitedS) };
const checks = {
  everyAnswerRight: [alone, held, after].every(({ healthz, tasks }) =>
    [healthz, tasks].every(({ asked, wrong }) => asked > 0 && Object.keys(wrong).length === 0),
  ),
  answersInTime: [held.healthz, held.tasks].every(({ p99, max }) => p99 <= BOUNDS.p99Ms && max <= BOUNDS.maxMs),
  memoryBounded: most <= before + BOUNDS.mibBeside + (clients * BOUNDS.kibPerClient) / 1024,
  // Those who were shown out come back at once, so nearly all are there nearly all the time.
  allHeld: (open.median ?? 0) >= clients * BOUNDS.openShare,
  cutInTime: SLOW_KIND_NAMES.every((kind) => {
    const { cutAfterMs }: SlowKind = SLOW_KINDS[kind];
    const { cut, longestMs } = kinds[kind];
    if (cutAfterMs === undefined) return cut === 0;
    return longestMs <= cutAfterMs + BOUNDS.lateMs && (cut > 0 || seconds * 1000 < cutAfterMs + BOUNDS.lateMs);
  }),
};
const passed = Object.values(checks).every(Boolean);
const report = {
  suite: 'slow-clients',
  seed,
  passed,
  clients,
  seconds,
  bounds: BOUNDS,
  checks,
  open,
  processor,
  memoryMib,
  latencyMs: { alone, held, after },
  kinds,
};
writeEvidence(values.evidence, { ...report, startedAt: startedAt.toISOString(), minutes: minutesSince(startedAt.getTime()), commit });
process.stdout.write(`${JSON.stringify(report)}\n${values.evidence}\n`);
process.exit(passed ? 0 : 1);
