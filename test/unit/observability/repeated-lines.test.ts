import { describe, expect, it } from 'vitest';
import { createLogger } from '../../../src/observability/logging.ts';
import { createRepeatBound } from '../../../src/observability/repeated-lines.ts';

describe('lines that say again what was said', () => {
  it('are held back for half a minute, and counted by the next one', () => {
    let now = 0;
    const bound = createRepeatBound(() => now);
    expect([bound('away'), bound('away'), bound('other'), bound('away')]).toEqual([0, undefined, 0, undefined]);
    now = 29_999;
    expect(bound('away')).toBeUndefined();
    now = 30_000;
    expect([bound('away'), bound('away')]).toEqual([3, undefined]);
  });

  it('are remembered in little room, however many there are', () => {
    const bound = createRepeatBound(() => 0);
    for (let line = 0; line < 1000; line += 1) bound(`${line}`);
    expect([bound('999'), bound('0')]).toEqual([undefined, 0]);
  });

  it('are those of a lost connection only: two deliveries that end alike are two lines', () => {
    const lines: string[] = [];
    const log = createLogger('info', 'worker', { destination: { write: (line) => void lines.push(line) } });
    for (let time = 0; time < 3; time += 1) {
      log.warn({ err: new Error('connect ECONNREFUSED 127.0.0.1:1') }, 'redis');
      log.warn({ err: new Error('connect ECONNREFUSED 127.0.0.1:1') }, 'queue');
      log.info({ taskId: 'a' }, 'delivery');
    }
    log.warn({ err: new Error('NOAUTH') }, 'redis');
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(['redis', 'queue', 'delivery', 'delivery', 'delivery', 'redis']);
  });
});
