import { describe, expect, it } from 'vitest';
import { byCapability } from '../../../processors/run-executor.ts';
import type { TaskExecutor } from '../../../src/core/ports/index.ts';

const executor = (...capabilities: string[]): TaskExecutor => ({
  capabilities: new Set(capabilities),
  maxRunMs: 1,
  execute: () => Promise.reject(new Error('nobody runs it')),
});

describe('the executors of one queue', () => {
  const [first, second] = [executor('A', 'B'), executor('C')];
  const executorOf = byCapability([first, second]);

  it('are found by what they do', () => {
    expect([executorOf('A'), executorOf('B'), executorOf('C')]).toEqual([first, first, second]);
    expect(executorOf('C')).toBe(second);
  });

  it('leave what none of them does to the first, which refuses it', () => {
    for (const capability of ['D', '', '__proto__', 'constructor']) expect(executorOf(capability)).toBe(first);
  });
});
