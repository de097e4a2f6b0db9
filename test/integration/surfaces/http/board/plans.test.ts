import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBoardQueues } from '../../../../../queues/board-queues.ts';
import { createConnection } from '../../../../../queues/connection.ts';
import { inlineEd25519 } from '../../../../../src/adapters/crypto/inline.ts';
import { nodeEd25519 } from '../../../../../src/adapters/crypto/node-crypto.ts';
import { planSignatures } from '../../../../../src/bin/plan/signatures.ts';
import { systemClock } from '../../../../../src/core/clock.ts';
import { createAuditLog } from '../../../../../src/data-dir/audit-log.ts';
import { envelopeOf, fileStep, type PlanRig, startPlanRig } from '../../../../support/plan-rig.ts';
import { type BoardSite, startBoardSite } from './board-site.ts';

/** Plans on the board, run by the real driver. */

let planRig: PlanRig;
let site: BoardSite;
let closing: () => Promise<void>;
beforeAll(async () => {
  planRig = await startPlanRig();
  await planRig.rig.startWorker();
  const connection = createConnection(planRig.rig.redis.target(), 'ledger');
  const queues = openBoardQueues({ connection, pool: 'default' });
  const unused = () => {
    throw new Error('a retry of a plan asks for no task');
  };
  const tasks = { enqueue: planRig.rig.enqueue, ledger: planRig.rig.ledger, results: planRig.rig.results, signals: { onRecorded: unused }, journal: undefined };
  const audit = createAuditLog({ file: planRig.rig.places.audit, clock: systemClock });
  const { config, places } = planRig.rig;
  const signatures = planSignatures({ config, places, ed25519: inlineEd25519(nodeEd25519()) });
  site = await startBoardSite({ queues: queues.queues, audit, tasks, plans: planRig.plans, planSignatures: async () => signatures });
  closing = async () => {
    await site[Symbol.asyncDispose]();
    await queues[Symbol.asyncDispose]();
    connection.disconnect();
    await planRig[Symbol.asyncDispose]();
  };
});
afterAll(() => closing());

const call: BoardSite['call'] = (method, path) => site.call(method, path);
const at = (name: string): string => join(planRig.rig.base, name);

describe('a failed plan on the board', () => {
  it('shows its id, steps, code and lease but no memory, and runs on when Retry is pressed', async () => {
    writeFileSync(at('a'), 'a');
    writeFileSync(at('taken'), 'x');
    const steps = [fileStep('FILE_COPY', at('a'), at('b')), fileStep('FILE_COPY', at('a'), at('taken'))];
    const { id } = await planRig.run(envelopeOf(steps, { state: { found: 'SECRET-MEMORY' } }));
    await expect.poll(async () => ((await (await call('GET', `/api/queues/plan/p_${id}`)).json()) as { status: string }).status).toBe('failed');

    const page = await (await call('GET', `/api/queues/plan/p_${id}`)).text();
    expect(page).not.toContain('SECRET-MEMORY');
    expect(JSON.parse(page).job).toMatchObject({
      id: `p_${id}`,
      name: 'plan',
      failedReason: expect.stringMatching(/^EXECUTION_FAILED: /),
      data: { plan_id: id, steps_done: 2, lease_expires: expect.stringMatching(/\(in \d+ h\)$/), plan: `/v1/plans/${id}` },
    });
    const list = await (await call('GET', '/api/queues?activeQueue=plan&status=failed&page=1&jobsPerPage=10')).text();
    expect(list).toContain(id);
    expect(list).not.toContain('SECRET-MEMORY');

    rmSync(at('taken'));
    expect((await call('PUT', `/api/queues/plan/p_${id}/retry`)).status).toBe(200);
    expect((await planRig.ended(id, ({ state }) => state === 'success')).envelope.error).toBeNull();
    expect(existsSync(at('taken'))).toBe(true);
    const again = await call('PUT', `/api/queues/plan/p_${id}/retry`);
    expect([again.status, ((await again.json()) as { code: string }).code]).toEqual([409, 'WRONG_STATE']);
  });
});
