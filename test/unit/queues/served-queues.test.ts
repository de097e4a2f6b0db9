import { describe, expect, it } from 'vitest';
import { servedQueues } from '../../../queues/served-queues.ts';

describe('the queues of a worker', () => {
  it('are those of its pool, whether they name it or their kind alone', () => {
    expect(servedQueues(['file', 'plan', 'tool-crm'], 'default', ['crm'])).toEqual(['file', 'plan', 'tool-crm']);
    expect(servedQueues(['file', 'plan@archive', 'search'], 'archive', [])).toEqual(['file@archive', 'plan@archive', 'search@archive']);
  });

  it.each(['fiel', 'file@other', 'tool-crm', ''])('are refused where the pool has none like it: %s', (word) => {
    expect(() => servedQueues(['file', word], 'archive', [])).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT', field: '--queues' }));
  });
});
