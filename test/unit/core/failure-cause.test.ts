import { describe, expect, it } from 'vitest';
import { FAILURE_REASON_NAMES, FAILURE_REASONS, RESULT_ERROR_CODES } from '../../../src/contracts/index.ts';
import { crashedTooOften, lostTooOften, ROLLED_BACK_TOO_OFTEN } from '../../../src/core/counted.ts';
import { CAUSES, causeOfResult, failureCause } from '../../../src/core/failure-cause.ts';
import type { FsRefusal } from '../../../src/core/ports/index.ts';
import { parsePath, toPathBase } from '../../../src/executors/file/paths.ts';
import { explain } from '../../../src/executors/file/refusals.ts';
import { writtenSentences } from '../../support/failure-sentences.ts';

/** What stands for `…`: a number, a word and an errno are taken by the same rows. */
const filled = (sentence: string): string => sentence.replaceAll('(…)', '(EIO)').replaceAll('…', '7');
const reason = (message: string, code = 'EXECUTION_FAILED'): string => failureCause(code, message).reason;

describe('the cause of a failure', () => {
  it('is known for every code of a result, and every row leads to a reason of the closed set', () => {
    expect(Object.keys(CAUSES).sort()).toEqual([...RESULT_ERROR_CODES, 'INVALID_MANIFEST'].sort());
    const named = Object.values(CAUSES).flatMap((row) => (typeof row === 'string' ? [row] : [...row.rows.map(([, one]) => one), row.otherwise]));
    expect([...new Set(named)].sort()).toEqual([...FAILURE_REASON_NAMES].sort());
  });

  const sentences = writtenSentences();

  it('is known for every sentence that the sources word an EXECUTION_FAILED with', () => {
    expect(sentences.length).toBeGreaterThan(90);
    const unexplained = sentences.filter(({ code, sentence }) => failureCause(code, filled(sentence)).reason === 'unexplained');
    expect(unexplained).toEqual([]);
  });

  it.each([
    ['missing', 'source_missing', 'producer'],
    ['exists', 'destination_taken', 'producer'],
    ['not-a-directory', 'wrong_type', 'producer'],
    ['not-a-file', 'wrong_type', 'producer'],
    ['symlink', 'outside_base', 'producer'],
    ['escape', 'outside_base', 'producer'],
    ['mount', 'outside_base', 'producer'],
    ['name-too-long', 'bad_request', 'producer'],
    ['cross-device', 'file_system_unfit', 'host'],
    ['unsupported', 'file_system_unfit', 'host'],
    ['no-space', 'disk_full', 'host'],
    ['permission', 'permission_denied', 'host'],
    ['read-only', 'permission_denied', 'host'],
    ['io', 'io_error', 'host'],
  ] satisfies [FsRefusal, string, string][])('of a refusal %s of the file system is %s, which is of the %s', (refusal, expected, whose) => {
    const { error } = explain(refusal === 'exists' ? 'the destination' : 'the source', { ok: false, refusal, errno: 'EIO' });
    expect(error && causeOfResult({ error })).toEqual({ reason: expected, whose });
  });

  it.each([
    "the source's directory",
    "the destination's directory",
    'the vault',
    "the destination's temporary file",
    'the copy',
    'the place in the vault',
    'the destination',
  ])('is known for each refusal of %s', (what) => {
    const refusals: FsRefusal[] = ['missing', 'exists', 'not-a-directory', 'not-a-file', 'symlink', 'escape', 'mount', 'cross-device', 'no-space'];
    const more: FsRefusal[] = ['permission', 'name-too-long', 'read-only', 'unsupported', 'io'];
    for (const refusal of [...refusals, ...more].filter((one) => !(one === 'exists' && what.endsWith('directory')))) {
      const { error } = explain(what, { ok: false, refusal, errno: 'EIO' });
      expect([what, refusal, error && causeOfResult({ error })?.reason]).not.toEqual([what, refusal, 'unexplained']);
    }
  });

  it('is the path that leaves its base, and every other broken rule of a path is a bad request', () => {
    const bases = [toPathBase({ id: 'inbox', path: '/srv/inbox' })];
    const says = (raw: unknown): string => {
      const answer = parsePath(raw, bases);
      return reason(`inputs.source_path ${answer.ok ? 'is well' : answer.message}`);
    };
    expect(['/etc/passwd', '/srv/inbox/../x'].map(says)).toEqual(['outside_base', 'outside_base']);
    expect(['', 'a', 7, '/srv/inbox/*', '/srv/inbox/a/', '/srv/inbox', '/srv/inbox/.writ-x/y'].map(says)).toEqual(Array(7).fill('bad_request'));
    expect(reason('inputs.source_path lies outside constraints.scope')).toBe('outside_base');
  });

  it.each([
    ['the source changed during the move; the copy was withdrawn', 'changed_meanwhile'],
    ['the source changed during the move; the copy could not be withdrawn', 'outcome_unknown'],
    ["the base directory 'inbox' was exchanged (another mount); it was taken back", 'place_exchanged'],
    ["the base directory 'inbox' was exchanged (another mount); it could not be taken back", 'outcome_unknown'],
    ['the operation could not be made durable (EIO); it was taken back', 'io_error'],
    ['the operation could not be made durable (ENOSPC); it was taken back', 'disk_full'],
    ["the source's name could not be removed (EACCES); it was taken back", 'io_error'],
    ['the source may not be taken from its directory by this worker', 'permission_denied'],
    ['the source may not be taken from its directory by this worker; the copy was taken back', 'permission_denied'],
    ['the source may not be accessed by this worker; the copy was withdrawn', 'permission_denied'],
    ['the source lies on a read-only file system; the copy was taken back', 'permission_denied'],
    ['the place in the vault has no room left on its file system; the copy was withdrawn', 'disk_full'],
    ['the source could not be read or written (EIO); the copy was taken back', 'io_error'],
    ["the base directory 'inbox' was exchanged (another mount); the copy was withdrawn", 'place_exchanged'],
    ['the source lies on a read-only file system; the copy could not be withdrawn', 'outcome_unknown'],
    ['the source lies on a read-only file system; the copy was withdrawn, and that could not be made durable (EIO)', 'outcome_unknown'],
    ['outcome unknown: the file was exchanged during the operation', 'outcome_unknown'],
    ['the destination exists and is a directory', 'destination_taken'],
    ['cancelled', 'cancelled'],
    ['a sentence of next year', 'unexplained'],
  ])('of "%s" is %s', (message, expected) => expect(reason(message)).toBe(expected));

  it('tells what a lease is refused for apart', () => {
    expect(reason('the lease was revoked', 'INVALID_LEASE')).toBe('lease_revoked');
    expect(reason('the lease was issued in the future', 'INVALID_LEASE')).toBe('lease_clock');
    expect(reason('the lease lives longer than 60 seconds', 'INVALID_LEASE')).toBe('lease_invalid');
    expect(failureCause('LEASE_EXPIRED', 'the lease expired')).toEqual({ reason: 'lease_expired', whose: 'producer' });
  });

  it('tells limits of the host from what is too large, and a lost worker from both', () => {
    const told = (message: string): string => reason(message, 'RESOURCE_EXHAUSTED');
    expect(told('the source is larger than 5 bytes')).toBe('too_large');
    expect(told('the destination has no room left on its file system')).toBe('disk_full');
    expect(told('the worker was lost 5 times while it ran this task')).toBe('worker_lost');
    expect([lostTooOften(5), ROLLED_BACK_TOO_OFTEN, crashedTooOften(5)].map(({ error }) => error && causeOfResult({ error })?.reason)).toEqual([
      ...['worker_lost', 'worker_lost', 'worker_fault'],
    ]);
    expect(told('the search needs more memory than it may take')).toBe('host_limit');
  });

  it('cannot be chosen by the words of a producer', () => {
    const lie = '"x does not exist; it could not be taken back"';
    expect(reason(`inputs has a field that FILE_MOVE does not know: ${lie}`)).toBe('bad_request');
    expect(reason('inputs.source_path must be absolute (begin with \'/\'): "lies outside constraints.scope"')).toBe('bad_request');
    expect(reason(`${JSON.stringify('the source does not exist')} in the directory of this scope cannot be read: EIO`)).toBe('source_unreadable');
    expect(failureCause('TOOL_FAILED', 'the source does not exist')).toEqual({ reason: 'tool_failed', whose: 'tool' });
    expect(failureCause('toString', 'x')).toEqual({ reason: 'unexplained', whose: 'host' });
  });

  it('has a sentence for each reason, for the page of errors', () => {
    for (const { means } of Object.values(FAILURE_REASONS)) expect(means).toMatch(/^[A-Z].*\.$/);
  });
});
