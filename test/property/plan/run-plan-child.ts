import { readFileSync } from 'node:fs';
import { canonicalJson } from '../../../src/core/canonical-json.ts';
import { linkPlan, startPlan } from '../../../src/executors/plan/index.ts';
import { finish } from '../../support/plan-random.ts';

/** Runs the plans that come in as one JSON array, and prints the canonical form of how each ends, and its hash. */
const envelopes = JSON.parse(readFileSync(0, 'utf8')) as unknown[];
const ends = envelopes.map((envelope) => {
  const linked = linkPlan(envelope, () => undefined);
  return [canonicalJson(finish(startPlan(envelope)).envelope), linked.ok ? linked.planSha256 : linked.code];
});
process.stdout.write(JSON.stringify(ends));
