import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../../config/package.ts';
import { patient } from '../../support/patience.ts';
import { campaign } from './campaign.ts';
import { FAULT_NAMES } from './faults.ts';
import { LOAD_NAMES } from './load/index.ts';

const run = promisify(execFile);

beforeAll(async () => {
  // Roles are started as people start them: from what was built. Another test may be building it.
  await run('flock', ['package.json', 'scripts/build'], { cwd: packageRoot(), maxBuffer: 64 * 1024 * 1024 });
}, patient(300_000));

describe('an installation under every load and every fault', () => {
  it('comes to what was asked of it, each piece of load and each fault once', { timeout: patient(480_000) }, async () => {
    // One firing ahead: of what is asked meanwhile, leases count from a minute later at most.
    const report = await campaign({ seed: 20_261_126, work: LOAD_NAMES.length, faults: FAULT_NAMES.length, lanes: 4, farthest: 1 });
    expect(report.violations, report.history.join('\n')).toEqual([]);
    expect(Object.values(report.faults)).toEqual(FAULT_NAMES.map(() => 1));
    for (const name of LOAD_NAMES) expect(report.loads[name]).toBeGreaterThan(0);
    // Not by luck: a kernel that was away makes up for what was due, however fast this was.
    expect(report.firings['ended SUCCESS']).toBeGreaterThan(0);
    expect(report.earlyFirings).toBeGreaterThan(0);
    expect(report.resent).toBeGreaterThan(0);
    expect(report.unansweredDeliveries).toBeGreaterThan(0);
    for (const by of ['content', 'message']) expect(report.looks[by]).toBeGreaterThan(0);
    expect(report.messages).toBeGreaterThan(1);
    expect(report.walks).toBe(1);
  });
});
