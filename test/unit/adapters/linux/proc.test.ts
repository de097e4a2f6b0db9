import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mayExist, parseStartTime, startTimeOf } from '../../../../src/adapters/linux/proc.ts';

/** A line of /proc/<pid>/stat: fields 4 to 21 are zero, 22 is the start time, more follow. */
const stat = (command: string, startTime: string): string => `42 (${command}) S ${'0 '.repeat(18)}${startTime} 0 0 18446744073709551615 0\n`;

describe('start time of a process', () => {
  it('is field 22, whatever the command is called', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 15 }), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (command, ticks) => {
        expect(parseStartTime(stat(command, String(ticks)))).toBe(String(ticks));
      }),
    );
  });

  it.each([') S 1 2 3 (', 'a) R 7 (b', '((', '))', 'new\nline', ''])('is not fooled by the command %j', (command) => {
    expect(parseStartTime(stat(command, '777'))).toBe('777');
  });

  it('is undefined for a text that is no stat line', () => {
    expect(parseStartTime('')).toBeUndefined();
    expect(parseStartTime('42 (x) S 1')).toBeUndefined();
    expect(parseStartTime(stat('x', 'abc'))).toBeUndefined();
  });

  it('of a living process stays, of a dead one is unknown', async () => {
    const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
    await once(child, 'spawn');
    const pid = child.pid ?? 0;
    const first = startTimeOf(pid);
    expect(first).toMatch(/^\d+$/);
    expect(startTimeOf(pid)).toBe(first);
    expect(mayExist(pid, first ?? '')).toBe(true);
    expect(mayExist(pid, '1')).toBe(false);
    child.stdin.end();
    await once(child, 'exit');
    expect(startTimeOf(pid)).toBeUndefined();
    expect(mayExist(pid, first ?? '')).toBe(false);
  });
});
