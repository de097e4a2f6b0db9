import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLogSink, type LogFile } from '../../../src/observability/log-sink.ts';

/** A file that takes what it is told to. */
function fileOf() {
  const written: string[] = [];
  const answers: (string | number)[] = [];
  let done: (() => void) | undefined;
  const next = (text: Buffer): number => {
    const answer = answers.shift() ?? text.length;
    if (typeof answer === 'string') throw Object.assign(new Error(answer), { code: answer });
    written.push(text.subarray(0, answer).toString());
    return answer;
  };
  const file: LogFile = {
    write(text, tell) {
      done = () => {
        try {
          tell(null, next(text));
        } catch (error) {
          tell(error as NodeJS.ErrnoException, 0);
        }
      };
    },
    writeSync: next,
  };
  const answer = (): void => {
    const settle = done;
    done = undefined;
    settle?.();
  };
  return { file, written, answers, answer, isAsked: () => done !== undefined };
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const LONG = `${'x'.repeat(8191)}\n`;

it('writes lines together, and a lone one after a moment', () => {
  const at = fileOf();
  const sink = createLogSink(at.file);
  sink.write('a\n');
  sink.write('b\n');
  expect(at.isAsked()).toBe(false);
  vi.advanceTimersByTime(250);
  at.answer();
  expect(at.written).toEqual(['a\nb\n']);
  sink.write(LONG);
  expect(at.isAsked()).toBe(true);
});

it('begins a new line after one whose rest was lost', () => {
  const at = fileOf();
  const sink = createLogSink(at.file);
  at.answers.push(3, 'ENOSPC', 'ENOSPC');
  sink.write(LONG);
  at.answer();
  at.answer();
  for (let n = 0; n < 2; n += 1) {
    sink.write(LONG);
    at.answer();
  }
  expect(at.written[0]).toBe('xxx');
  expect(at.written[1]).toMatch(/^\n\{.*"lines":3.*\}\nx+\n$/);
});

it.each(['EIO', 'ENOSPC', 'EPIPE', 'EBADF'])('loses lines that nobody takes (%s), goes on, and says how many', (code) => {
  const at = fileOf();
  const sink = createLogSink(at.file);
  at.answers.push(code);
  sink.write('a\n');
  sink.write(LONG);
  at.answer();
  sink.write(LONG);
  at.answer();
  const [loss = '', ...rest] = at.written.join('').split('\n');
  expect(JSON.parse(loss)).toMatchObject({ level: 40, lines: 2, msg: 'lines of this log were lost' });
  expect(`${rest.join('\n')}`).toBe(LONG);
});

it('goes on where a short write has ended, and waits for a reader that takes nothing now', () => {
  const at = fileOf();
  const sink = createLogSink(at.file);
  at.answers.push(3, 'EAGAIN');
  sink.write(LONG);
  at.answer();
  at.answer();
  vi.advanceTimersByTime(100);
  at.answer();
  expect(at.written.join('')).toBe(LONG);
});

it('does not grow without end while nobody takes anything', () => {
  const at = fileOf();
  const sink = createLogSink(at.file);
  for (let lines = 0; lines < 1000; lines += 1) sink.write(LONG);
  sink.write(LONG);
  at.answer();
  at.answer();
  const kept = at.written.join('');
  expect(kept.length).toBeLessThan(2 * 1024 * 1024);
  expect(kept).toContain('lines of this log were lost');
});

it('writes at the end what waits, and never waits itself', () => {
  const at = fileOf();
  const sink = createLogSink(at.file);
  sink.write('a\n');
  sink.flushSync();
  expect(at.written).toEqual(['a\n']);
  for (const code of ['EIO', 'EAGAIN', 'ENOSPC']) {
    at.answers.push(code);
    sink.write('b\n');
    sink.flushSync();
  }
  expect(at.written).toEqual(['a\n']);
});
