import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { evidencePath, minutesSince, revision, writeEvidence } from '../../../scripts/evidence.ts';
import { parseTraceparent } from '../../../src/core/trace-context.ts';
import { manifestOf, startRig } from '../../support/rig.ts';

/**
 * `npm run test:long -- tracing [--tasks 500] [--rounds 5]`: what a task costs, in processor time of the process that
 * pushes and works, so that others on the host count for nothing: without tracing, with it, and while the collector hangs.
 */
const { values } = parseArgs({
  options: {
    tasks: { type: 'string', default: '500' },
    rounds: { type: 'string', default: '5' },
    evidence: { type: 'string', default: evidencePath('tracing') },
  },
});
const tasks = Number(values.tasks);
const rounds = Number(values.rounds);
const startedAt = new Date();
const commit = revision();

const collector = await startSink();
const MODES = {
  off: {},
  on: { enabled: true, endpoint: collector.endpoint, max_spans: 100_000 },
  // Everything that tracing does per task, for a context that says: not recorded.
  unsampled: { enabled: true, endpoint: collector.endpoint, sample_ratio: 0 },
  hanging: { enabled: true, endpoint: collector.endpoint, timeout_ms: 500, max_spans: 1000 },
} as const;
type Mode = keyof typeof MODES;

/** Processor and wall-clock time of one task, microseconds. */
interface Cost {
  readonly processor: number;
  readonly wall: number;
}

async function costOf(mode: Mode): Promise<Cost> {
  await using rig = await startRig({ config: { tracing: MODES[mode] } });
  collector.hangs = mode === 'hanging';
  await rig.startWorker();
  await run(rig, Math.min(200, tasks));
  const before = process.cpuUsage();
  const began = performance.now();
  await run(rig, tasks);
  const { user, system } = process.cpuUsage(before);
  return { processor: (user + system) / tasks, wall: ((performance.now() - began) * 1000) / tasks };
}

async function run(rig: Awaited<ReturnType<typeof startRig>>, count: number): Promise<void> {
  const source = path.join(rig.base, 'source');
  writeFileSync(source, 'x');
  const manifests = Array.from({ length: count }, () => manifestOf('FILE_COPY', source));
  const jobs = await Promise.all(
    manifests.map(async (manifest) => {
      const whole = { ...manifest, inputs: { ...manifest.inputs, destination_path: path.join(rig.base, manifest.task_id) } };
      return { v: 1, manifest: whole, lease: await rig.lease(whole) } as const;
    }),
  );
  await rig.enqueue.pushMany(jobs);
  const answers = await Promise.all(manifests.map(({ task_id }) => rig.answer(task_id, undefined, 120_000)));
  if (answers.some(({ status }) => status !== 'SUCCESS')) throw new Error('a task failed');
}

const costs: Record<Mode, Cost[]> = { off: [], on: [], unsampled: [], hanging: [] };
for (let round = 0; round < rounds; round += 1) for (const mode of Object.keys(MODES) as Mode[]) costs[mode].push(await costOf(mode));
collector.server.close();
collector.server.closeAllConnections();

/** Others on the host only ever add. */
const least = (all: readonly number[]): number => Math.round(Math.min(...all));
const microseconds = Object.fromEntries(
  (Object.keys(MODES) as Mode[]).map((mode) => [
    mode,
    { processor: least(costs[mode].map(({ processor }) => processor)), wall: least(costs[mode].map(({ wall }) => wall)) },
  ]),
);
const ratioOf = (mode: Mode): number =>
  Math.round((1000 * least(costs[mode].map(({ processor }) => processor))) / least(costs.off.map(({ processor }) => processor))) / 1000;

/** Takes everything and reads nothing: what reading would cost is not a worker's. */
async function startSink() {
  const sink = { endpoint: '', hangs: false, requests: 0, server: createServer() };
  sink.server.on('request', (request, response) => {
    sink.requests += 1;
    request.resume().on('end', () => void (sink.hangs || response.writeHead(200, { 'content-type': 'application/json' }).end('{}')));
  });
  sink.server.listen(0, '127.0.0.1');
  await once(sink.server, 'listening');
  const address = sink.server.address();
  sink.endpoint = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/v1/traces`;
  return sink;
}

/** All that a delivery does for traces when they are off: look at a field. Nanoseconds of processor time. */
function fieldNs(field: string | undefined): number {
  const times = 1_000_000;
  let found = 0;
  const before = process.cpuUsage();
  for (let at = 0; at < times; at += 1) if (parseTraceparent(field) !== undefined) found += 1;
  const { user, system } = process.cpuUsage(before);
  const ns = Math.round(((user + system) * 1000) / times);
  return found === -1 ? 0 : ns;
}

// A collector that hangs costs no more than one that answers, but for noise.
const passed = ratioOf('hanging') <= ratioOf('on') * 1.15;
const report = {
  tasks,
  rounds,
  microseconds,
  processorVsOff: { on: ratioOf('on'), unsampled: ratioOf('unsampled'), hanging: ratioOf('hanging') },
  fieldNs: { absent: fieldNs(undefined), valid: fieldNs('00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'), garbage: fieldNs('garbage') },
  requests: collector.requests,
};
writeEvidence(values.evidence, { suite: 'tracing', passed, ...report, startedAt: startedAt.toISOString(), minutes: minutesSince(startedAt.getTime()), commit });
process.stdout.write(`${JSON.stringify(report)}\n${values.evidence}\n`);
process.exit(passed ? 0 : 1);
