import { describe, expect, it } from 'vitest';
import { ALL_TAGS, generationKey, recordedChannel, refusedKey, rowKey, tagOf } from '../../../../src/adapters/redis/keys.ts';
import { protocolTable } from '../../../conformance/protocol-tables.ts';

const KEYS = protocolTable('1. Keys');

describe('the keys of the ledger', () => {
  it('are those of docs/protocol.md, with the first byte of the SHA-256 of the task id as their tag', () => {
    // printf abc | sha256sum
    expect(tagOf('abc')).toBe('ba');
    const documented = [...KEYS.keys()].map((key) => key.replaceAll('`', ''));
    const instance = (pattern: string): string =>
      pattern.replace('xx', 'ba').replace('<task_id>', 'abc').replace('<queue>', 'file').replace('<jobId>', 't_abc');
    for (const key of [rowKey('abc'), refusedKey('abc', 'file:t_abc'), generationKey('ba'), recordedChannel('ba')]) {
      expect(documented.map(instance)).toContain(key);
    }
  });

  it('have 256 tags, whatever the number of queue shards', () => {
    expect(new Set(ALL_TAGS).size).toBe(256);
    for (let n = 0; n < 500; n += 1) expect(ALL_TAGS).toContain(tagOf(`task-${n}`));
  });
});
