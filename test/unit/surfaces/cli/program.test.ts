import { CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import { ERRORS, type ErrorCode, WritError } from '../../../../src/core/errors.ts';
import { bytes, duration } from '../../../../src/core/units.ts';
import { exitOf } from '../../../../src/surfaces/cli/commands/push.ts';
import { failureOf, failureText } from '../../../../src/surfaces/cli/failure.ts';
import { emptySummary, type PushSummary } from '../../../../src/surfaces/cli/push/push-all.ts';
import { table } from '../../../../src/surfaces/cli/text/table.ts';
import { parseSeconds, printable } from '../../../../src/surfaces/cli/text/values.ts';
import { createWorld } from './world.ts';

describe('exit codes', () => {
  it('are those of the table of errors, for every code', () => {
    for (const code of Object.keys(ERRORS) as ErrorCode[]) expect(failureOf(new WritError(code, 'x')).exit).toBe(ERRORS[code].exit);
    expect(failureOf(new CommanderError(1, 'commander.unknownOption', "error: unknown option '--x'"))).toMatchObject({
      exit: 2,
      message: "unknown option '--x'",
    });
    expect(failureOf(new TypeError('boom'))).toMatchObject({ exit: 3, code: 'INTERNAL', message: 'boom' });
  });

  it('never come with a stack trace', () => {
    const error = new TypeError('boom');
    expect(failureText(failureOf(error))).toBe('writ: boom (INTERNAL)');
    expect(failureText(failureOf(new WritError('INVALID_MANIFEST', 'is missing', { field: 'manifest.task_id' })))).toBe(
      'writ: manifest.task_id: is missing (INVALID_MANIFEST)',
    );
  });

  it('come with every problem that was found', () => {
    const problems = [
      { field: 'payload.steps', message: 'is missing or has the wrong type' },
      { field: 'step', message: 'is not a field of this contract' },
    ];
    const error = new WritError('INVALID_MANIFEST', 'is missing or has the wrong type', { field: 'payload.steps', problems });
    expect(failureText(failureOf(error)).split('\n')).toEqual([
      'writ: payload.steps: is missing or has the wrong type (INVALID_MANIFEST)',
      '      step: is not a field of this contract',
    ]);
  });

  it('of a push say 2 for nothing usable, 1 for any trouble, 3 for no outcome', () => {
    const of = (changes: Partial<PushSummary>): number => exitOf({ ...emptySummary(), ...changes });
    expect(of({})).toBe(2);
    expect(of({ interrupted: true })).toBe(1);
    expect(of({ accepted: 5 })).toBe(0);
    expect(of({ replayed: 5, in_flight: 1, retried: 1 })).toBe(0);
    expect(of({ rejected: 5 })).toBe(2);
    expect(of({ rejected: 5, accepted: 1 })).toBe(1);
    expect(of({ conflicts: 1 })).toBe(1);
    expect(of({ accepted: 1, failed: 1, unanswered: 1 })).toBe(1);
    expect(of({ accepted: 2, succeeded: 1, unanswered: 1 })).toBe(3);
    expect(of({ accepted: 2, interrupted: true })).toBe(1);
  });
});

describe('the command line', () => {
  it('answers usage errors with 2, on stdout too when asked for JSON', async () => {
    const world = await createWorld();
    expect(await world.cli(['pusk'])).toMatchObject({ code: 2, out: '', err: expect.stringContaining('Did you mean push?') });
    expect(await world.cli(['push', '--json'])).toMatchObject({
      code: 2,
      lines: [{ error: { code: 'INVALID_ARGUMENT', message: "missing required argument 'file'" } }],
    });
    expect((await world.cli(['status', '--set', 'nonsense'])).err).toContain('--set wants key=value');
    expect((await world.cli(['lease'])).code).toBe(2);
    expect((await world.cli([])).code).toBe(2);
  });

  it('finds every command that its help lists', async () => {
    const world = await createWorld();
    const listed = [...(await world.cli(['--help'])).out.matchAll(/^ {2}([a-z][a-z-]+)(?: |$)/gm)].map(([, name = '']) => name);
    expect(listed.length).toBeGreaterThan(20);
    for (const name of listed) {
      const { out } = await world.cli([name, '--help']);
      expect(out).toMatch(new RegExp(`^Usage: writ ${name}(?: |$)`, 'm'));
      // `--help` is the way to it, everywhere.
      expect(out).not.toContain('help [command]');
    }
  });

  it('prints help and version with 0', async () => {
    const world = await createWorld();
    expect(await world.cli(['--version'])).toMatchObject({ code: 0, out: '9.9.9\n' });
    const help = await world.cli(['--help']);
    expect(help.code).toBe(0);
    for (const command of [
      'up',
      'worker',
      'kernel',
      'init',
      'keygen',
      'doctor',
      'push',
      'result',
      'retry',
      'undo',
      'cancel',
      'status',
      'find',
      'scopes',
      'lease',
      'vault',
    ])
      expect(help.out).toContain(`  ${command} `);
    expect((await world.cli(['push', '--help'])).out).toContain('--data-dir');
  });

  it('hands roles their flags and answers with their exit code', async () => {
    const world = await createWorld();
    expect((await world.cli(['kernel'])).code).toBe(3);
    expect((await world.cli(['worker', '--queues', 'file, search'])).code).toBe(2);
    expect((await world.cli(['worker', '--queues', 'file,'])).code).toBe(2);
  });
});

describe('words for people', () => {
  it('name times and sizes in the unit that fits', () => {
    expect([0, 0.4, 12, 99.4, 340, 9_950, 59_400, 60_000, 185_000, 7_800_000, 90_000_000].map(duration)).toEqual([
      '0 ms',
      '0 ms',
      '12 ms',
      '99 ms',
      '0.3 s',
      '10 s',
      '59 s',
      '1 min',
      '3 min 5 s',
      '2 h 10 min',
      '1 d 1 h',
    ]);
    expect([0, 1023, 1536, 5 * 1024 ** 3].map(bytes)).toEqual(['0 B', '1023 B', '1.5 KiB', '5.0 GiB']);
  });

  it('read times with and without a unit', () => {
    expect(['90', '90s', '15m', '24h', '30d'].map((word) => parseSeconds(word, '--ttl'))).toEqual([90, 90, 900, 86_400, 2_592_000]);
    for (const word of ['', '1y', '-1s', '1.5h', 'soon']) expect(() => parseSeconds(word, '--ttl')).toThrow('--ttl must be a time');
  });

  it('let nothing through that could rewrite a terminal', () => {
    expect(printable('a\u001b[31mb\r\nc\u202e')).toBe('a\\u001b[31mb\\u000d\\u000ac\\u202e');
    expect(table([{ title: 'x' }], [['\u001b[2J']])).toBe('x\n\\u001b[2J');
  });
});
