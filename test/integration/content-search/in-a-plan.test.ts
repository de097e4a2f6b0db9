import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { envelopeOf, type PlanRig, startPlanRig } from '../../support/plan-rig.ts';

let root: string;
let plans: PlanRig;
beforeAll(async () => {
  root = mkdtempSync(path.join(tmpdir(), 'writ-content-plan-'));
  mkdirSync(path.join(root, 'notes'));
  writeFileSync(path.join(root, 'notes', 'a.txt'), 'nothing\nan invoice\n');
  plans = await startPlanRig({ config: { tools: { search: { enabled: true }, sandbox: { allowed_roots: [root] } } } });
  await plans.rig.startWorker();
});
afterAll(async () => {
  await plans[Symbol.asyncDispose]();
  rmSync(root, { recursive: true, force: true });
});

it('searches the contents of files as a step of a plan, whose memory holds the matches', async () => {
  const step = { type: 'capability', ref: 'search.contents.find', params: { text: 'invoice', path: 'notes', max_results: 10 } };
  const { envelope } = await plans.run(envelopeOf([step]));
  expect(envelope.error).toBeNull();
  expect(envelope.output.memory.state).toMatchObject({
    search: {
      count: 1,
      truncated: false,
      matches: [{ type: 'match', data: { path: { text: 'notes/a.txt' }, line_number: 2, lines: { text: 'an invoice' } } }],
    },
  });
});

it('keeps a plan to the scopes of its lease', async () => {
  const step = (changes: object) => ({ type: 'tool', ref: 'search', operation: 'CONTENT_SEARCH', params: { pattern: 'invoice', ...changes } });
  const inside = await plans.link(envelopeOf([step({ path: 'notes' })]), { scopes: ['notes'] });
  await plans.push(inside);
  expect((await plans.ended(inside.id)).view).toMatchObject({ state: 'success' });
  const everywhere = await plans.link(envelopeOf([step({})]), { scopes: ['notes'] });
  await plans.push(everywhere);
  expect((await plans.ended(everywhere.id)).view.error).toMatchObject({ code: 'LEASE_REFUSED' });
});
