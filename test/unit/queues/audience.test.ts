import { describe, expect, it } from 'vitest';
import { queueOfJob } from '../../../queues/audience.ts';
import type { TaskManifest } from '../../../src/contracts/index.ts';
import { signLease } from '../../../src/lease/index.ts';
import { ed25519, LEASE, MANIFEST, vectorKey } from '../../fixtures/authority/world.ts';

const key = vectorKey(0, 'lease', 'kernel-1');
const CALL: TaskManifest = { ...MANIFEST, capability_id: 'TOOL_CALL', inputs: { tool: 'crm.contacts', operation: 'find', params: {} } };
const leaseFor = (aud: string) => signLease({ ...LEASE, capability_id: 'TOOL_CALL', aud }, key, ed25519);

describe('the queue that a job goes to unless its push names one', () => {
  it('is that of the provider which the lease of a call names, in the own pool', async () => {
    expect(queueOfJob({ manifest: CALL, lease: await leaseFor('tool-crm') }, 'default')).toBe('tool-crm');
    expect(queueOfJob({ manifest: CALL, lease: await leaseFor('tool-crm@north') }, 'north')).toBe('tool-crm@north');
    expect(queueOfJob({ manifest: CALL, lease: await leaseFor('tool-crm@south') }, 'north')).toBe('tool-crm@north');
  });

  it.each([
    ['no lease', undefined],
    ['what is no lease', 'a.b.c'],
    ['an empty text', ''],
  ])('is that of unknown capabilities for a call with %s', (_, lease) => {
    expect(queueOfJob({ manifest: CALL, ...(lease === undefined ? {} : { lease }) }, 'north')).toBe('file@north');
  });

  it('is no queue that a lease makes up', async () => {
    for (const aud of ['plan', 'search', 'tool-', 'tool-A', 'index-maintenance', 'tool-crm:wait']) {
      expect(queueOfJob({ manifest: CALL, lease: await leaseFor(aud) }, 'default')).toBe('file');
    }
  });

  it('is that of the capability for every other task, whatever its lease says', async () => {
    expect(queueOfJob({ manifest: MANIFEST, lease: await leaseFor('tool-crm') }, 'default')).toBe('file');
    expect(queueOfJob({ manifest: { ...MANIFEST, capability_id: 'SEARCH_FILES' }, lease: await leaseFor('file') }, 'default')).toBe('search');
  });
});
