import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { evidencePath, minutesSince, revision, writeEvidence } from '../../scripts/evidence.ts';
import { bundleWorker } from './bundle.ts';
import { fight } from './campaign.ts';
import { VIOLATIONS } from './counts.ts';
import { type Field, startField } from './field.ts';
import { KIND_NAMES, type KindName } from './kinds.ts';
import { createStallWatch } from './stall.ts';

/** `npm run test:long -- chaos [--rounds 10000] [--seed n] [--lanes 24] [--workers 4] [--kinds a,b] [--linked-share 0.1]` */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '10000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    lanes: { type: 'string', default: '24' },
    workers: { type: 'string', default: '4' },
    kinds: { type: 'string', default: KIND_NAMES.join(',') },
    'linked-share': { type: 'string', default: '0.1' },
    evidence: { type: 'string', default: evidencePath('chaos') },
  },
});
const seed = Number(values.seed);
const rounds = Number(values.rounds);
const kinds = values.kinds.split(',').map(kindNamed);
const startedAt = new Date();
const commit = revision();
let interrupted = false;
process.once('SIGINT', stopEarly);
process.once('SIGTERM', stopEarly);

/** On a kernel without RENAME_NOREPLACE first (a small share, the vault of the link method is the same), then on this one. */
const linkedRounds = Math.round(rounds * Number(values['linked-share']));
const parts = [
  { name: 'this kernel', linked: false, rounds: rounds - linkedRounds },
  { name: 'a kernel without renameat2', linked: true, rounds: linkedRounds },
];
const bundle = bundleWorker();
const evidence: Record<string, unknown>[] = [];
let violations = 0;
for (const [index, part] of parts.entries()) {
  if (part.rounds <= 0 || interrupted) continue;
  const partStarted = Date.now();
  const field = await startField({ seed: seed + index, workers: Number(values.workers), bundle, withoutRenameat2: part.linked, tiny: true, tell });
  const lookForStall = createStallWatch(() => field.counts.total, field.pool.pids, tell);
  const progress = setInterval(() => {
    tell(line(field));
    lookForStall();
  }, 10_000);
  await fight(field, { rounds: part.rounds, lanes: Number(values.lanes), kinds, linked: part.linked, stopEarly: () => interrupted });
  clearInterval(progress);
  const { counts } = field;
  violations += Object.values(counts.violations).reduce((a, b) => a + b, 0);
  evidence.push({
    minutes: minutesSince(partStarted),
    part: part.name,
    asked: part.rounds,
    total: counts.total,
    rounds: counts.rounds,
    violations: counts.violations,
    events: counts.events,
    notes: counts.notes,
  });
  process.stderr.write(`${line(field)}\n`);
  if (violations > 0) process.stderr.write(`the workers said:\n${readFileSync(field.workerLog, 'utf8').slice(-20_000)}\n`);
  await field.stop();
}

bundle.remove();
const minutes = minutesSince(startedAt.getTime());
const total = evidence.reduce((sum, { total: one }) => sum + Number(one), 0);
const document = {
  suite: 'chaos',
  seed,
  asked: rounds,
  rounds: total,
  complete: total >= rounds,
  violations,
  meaning: VIOLATIONS,
  parts: evidence,
  startedAt: startedAt.toISOString(),
  minutes,
  commit,
};
writeEvidence(values.evidence, document);
process.stdout.write(`${total} rounds in ${minutes} minutes, ${violations} violations; ${values.evidence}\n`);
process.exit(violations === 0 && total >= rounds ? 0 : 1);

function tell(note: string): void {
  process.stderr.write(`${note}\n`);
}

function stopEarly(): void {
  interrupted = true;
  process.stderr.write('stopping early: cases under way are finished\n');
}

function kindNamed(name: string): KindName {
  const kind = KIND_NAMES.find((known) => known === name);
  if (kind === undefined) throw new Error(`no kind '${name}'; there are ${KIND_NAMES.join(', ')}`);
  return kind;
}

function line({ counts }: Field): string {
  const seconds = (Date.now() - startedAt.getTime()) / 1000;
  const bad = Object.entries(counts.violations).filter(([, count]) => count > 0);
  return `${Math.round(seconds)} s, ${counts.total} rounds, ${counts.events.tasks} tasks, ${counts.events.restarts} restarts, violations ${JSON.stringify(Object.fromEntries(bad))}`;
}
