import { fork } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { packageRoot } from '../../../config/package.ts';
import { evidencePath, minutesSince, revision, writeEvidence } from '../../../scripts/evidence.ts';
import type { Boundary } from '../../support/fuzz/boundary.ts';
import { keepCorpus } from '../../support/fuzz/corpus.ts';
import type { Driven, Finding } from '../../support/fuzz/drive.ts';
import { BOUNDARIES, type BoundaryName } from '../../support/fuzz/table.ts';

/**
 * `npm run test:long -- fuzz [cases] [seed] [boundary …] [--guided] [--from n] [--together n]`: so many cases of each boundary
 * (times its weight), each in a process of its own. A finding is kept in `test/fixtures/fuzz/<boundary>`. The same seed makes the
 * same cases; `--guided` changes what reached new code further and keeps it in `test/fixtures/fuzz/corpus`, so that a case
 * depends on those before it.
 */
const { values, positionals } = parseArgs({
  options: {
    ...{ evidence: { type: 'string', default: evidencePath('fuzz') }, from: { type: 'string', default: '0' }, together: { type: 'string', default: '1' } },
    guided: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const [cases = '100000', seed = String(Date.now() % 1_000_000), ...named] = positionals;
const names = (named.length > 0 ? named : Object.keys(BOUNDARIES)) as BoundaryName[];
const CHILD = fileURLToPath(new URL('./fuzz-child.ts', import.meta.url));
/** Cases of one process: what piles up is seen within one. */
const SPAN = 50_000;
/** Without a word for so long, it hangs. */
const SILENCE_MS = 120_000;
/** What a process may gain after its first cases. */
const BREATH_BYTES = 256 * 1024 * 1024;
const startedAt = new Date();
const results: Record<string, object> = {};
let passed = true;

const waiting = [...names];
const lane = async (): Promise<void> => {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await fuzzed(name);
};
await Promise.all(Array.from({ length: Number(values.together) }, lane));
const sum = Object.values(results).reduce((all, result) => all + (result as { cases: number }).cases, 0);
writeEvidence(values.evidence, {
  suite: 'fuzz',
  seed: Number(seed),
  guided: values.guided,
  passed,
  cases: sum,
  boundaries: results,
  startedAt: startedAt.toISOString(),
  minutes: minutesSince(startedAt.getTime()),
  commit: revision(),
});
process.stdout.write(`${sum} cases, seed ${seed}; ${values.evidence}\n`);
process.exitCode = passed ? 0 : 1;

/** One process. One that hangs or dies is a finding of the case that it was at, as far as it told. */
function spanOf(name: BoundaryName, from: number, to: number): Promise<{ driven: Driven; gained: number }> {
  return new Promise((resolve) => {
    const child = fork(CHILD, [name, seed, String(from), String(to), ...(values.guided ? ['guided'] : [])], {
      execArgv: ['--import', import.meta.resolve('tsx')],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    let [at, first, most] = [from, 0, 0];
    let driven: Driven | undefined;
    let hung = false;
    const silent = (): NodeJS.Timeout =>
      setTimeout(() => {
        hung = true;
        child.kill('SIGKILL');
      }, SILENCE_MS);
    let timer = silent();
    child.on('message', (message: { at?: number; rss?: number; done?: Driven; kept?: string[] }) => {
      clearTimeout(timer);
      timer = silent();
      if (message.done !== undefined) driven = message.done;
      if (message.kept !== undefined) keepCorpus(name, message.kept);
      at = message.at ?? at;
      if (message.rss !== undefined && at - from >= 512 && first === 0) first = message.rss;
      most = Math.max(most, message.rss ?? 0);
    });
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      const why = hung ? `hangs within 64 cases from here` : `the process ended with ${code ?? signal} within 64 cases from here`;
      const gone: Driven = { outcomes: {}, slowest: { index: at, ms: 0 }, findings: [{ index: at, why, input: '' }] };
      resolve({ driven: driven ?? gone, gained: first === 0 ? 0 : most - first });
    });
  });
}

function keep(name: string, { index, input }: Finding): void {
  if (input === '') return;
  const directory = path.join(packageRoot(), 'test/fixtures/fuzz', name);
  mkdirSync(directory, { recursive: true });
  writeFileSync(path.join(directory, `${seed}-${index}.bin`), Buffer.from(input, 'base64'));
}

/** All cases of one boundary. */
async function fuzzed(name: BoundaryName): Promise<void> {
  const boundary: Boundary = BOUNDARIES[name];
  const wanted = Math.max(1, Math.round(Number(cases) * (boundary.weight ?? 1)));
  const before = process.hrtime.bigint();
  const total: Driven = { outcomes: {}, slowest: { index: -1, ms: 0 }, findings: [] };
  let gained = 0;
  for (let from = Number(values.from); from < wanted; from += SPAN) {
    const span = await spanOf(name, from, Math.min(wanted, from + SPAN));
    gained = Math.max(gained, span.gained);
    for (const [outcome, count] of Object.entries(span.driven.outcomes)) total.outcomes[outcome] = (total.outcomes[outcome] ?? 0) + count;
    if (span.driven.slowest.ms > total.slowest.ms) total.slowest = span.driven.slowest;
    total.findings.push(...span.driven.findings);
  }
  const seconds = Number(process.hrtime.bigint() - before) / 1e9;
  const flat = gained <= BREATH_BYTES;
  passed &&= total.findings.length === 0 && flat;
  for (const finding of total.findings) keep(name, finding);
  const counted = Object.values(total.outcomes).reduce((sum, count) => sum + count, 0);
  results[name] = {
    ...{ cases: counted, seconds: Math.round(seconds), outcomes: total.outcomes, slowest_ms: Math.round(total.slowest.ms), slowest_case: total.slowest.index },
    ...{ gained_mib: Math.round(gained / 1024 / 1024), findings: total.findings },
  };
  process.stdout.write(
    `${name}: ${counted} cases, ${Math.round(seconds)} s, slowest ${Math.round(total.slowest.ms)} ms, ${total.findings.length} findings, ${JSON.stringify(total.outcomes)}\n`,
  );
  for (const { index, why } of total.findings.slice(0, 5)) process.stdout.write(`  case ${index}: ${why.slice(0, 600)}\n`);
}
