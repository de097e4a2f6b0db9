import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { evidencePath, minutesSince, revision, writeEvidence } from '../../../scripts/evidence.ts';
import { inMountNamespace } from '../../support/mounts.ts';
import { PLAN_STEPS, UNDER_WAY } from '../../support/upgrade/ground.ts';
import { buildEarlier, makeInstallation } from '../../support/upgrade/make.ts';
import type { Opened } from '../../support/upgrade/open-child.ts';
import type { Refused } from '../../support/upgrade/refuse-child.ts';

/**
 * `npm run test:long -- upgrade [commit …]`: the program of an earlier commit is built, works and is killed; the program of this
 * checkout opens what it left; then the earlier one is put back, which must refuse, and this one again. Needs the history.
 */
const { values, positionals } = parseArgs({ options: { evidence: { type: 'string', default: evidencePath('upgrade') } }, allowPositionals: true });
/** The last of the second day of 0.1.0: all features that the fixture uses, the oldest schemas of today's packages. */
const EARLIEST = 'fbab8a22';
const startedAt = new Date();
const rounds: object[] = [];
let passed = true;

for (const commit of positionals.length === 0 ? [EARLIEST, 'HEAD'] : positionals) {
  const home = mkdtempSync(path.join(tmpdir(), 'writ-upgrade-long-'));
  try {
    process.stderr.write(`building ${commit}\n`);
    using program = buildEarlier(commit);
    const made = await makeInstallation(program, home);
    process.stderr.write(`opening what ${program.commit} left\n`);
    const child = (name: string, ...words: string[]) => inMountNamespace(new URL(`../../support/upgrade/${name}-child.ts`, import.meta.url), [home, ...words]);
    const opened = (await child('open')) as Opened;
    const newer = Object.keys(made.schemas).filter((file) => (opened.schemas[file] ?? 0) > (made.schemas[file] ?? 0));
    // The same schemas are read by both: there is nothing to refuse.
    const refused = newer.length === 0 ? undefined : await putBack(home, program.writ);
    const well = isWell(opened) && (refused === undefined || (Object.keys(refused.said).length > 0 && refused.filesLeft));
    passed &&= well;
    rounds.push({ commit: program.commit, well, moved_at_kill: made.moved_at_kill, before: made.schemas, after: opened.schemas, newer, refused });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
const report = { passed, rounds };
writeEvidence(values.evidence, {
  suite: 'upgrade',
  ...report,
  startedAt: startedAt.toISOString(),
  minutes: minutesSince(startedAt.getTime()),
  commit: revision(),
});
process.stdout.write(`${JSON.stringify(report, null, 2)}\n${values.evidence}\n`);
process.exitCode = passed ? 0 : 1;

/** On a copy: what it does to the copies among the databases is nobody's concern. */
async function putBack(home: string, program: string): Promise<Refused> {
  const copy = `${home}-back`;
  try {
    cpSync(home, copy, { recursive: true, preserveTimestamps: true, filter: (from) => !from.endsWith('.sock') });
    return (await inMountNamespace(new URL('../../support/upgrade/refuse-child.ts', import.meta.url), [copy, program])) as Refused;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function isWell({ made, ended, repeated, undone, underWay, plans, messages, matches, auditVerify, stopped }: Opened): boolean {
  const kept = Object.entries(made.tasks).every(([id, { state }]) => ended[id]?.state === state && ended[id].same && ended[id].verified);
  const moves = underWay.succeeded === UNDER_WAY && underWay.right === UNDER_WAY && plans.right === 2 * PLAN_STEPS;
  return (
    kept &&
    repeated.replayed &&
    repeated.left &&
    undone.move &&
    undone.deletion &&
    moves &&
    messages === 3 &&
    matches === 1 &&
    auditVerify === 0 &&
    stopped === 0
  );
}
