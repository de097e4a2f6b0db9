import { describe, expect, it } from 'vitest';
import { WritError } from '../../../src/core/errors.ts';
import { isOutage, withDiskFault } from '../../../src/core/outage.ts';
import { problemOf as kernelProblem } from '../../../src/kernel/problem.ts';
import { failureOf as cliFailure } from '../../../src/surfaces/cli/failure.ts';
import { problemOf } from '../../../src/surfaces/http/problem.ts';
import { failureOf as mcpFailure } from '../../../src/surfaces/mcp/result.ts';

const withCode = (code: string): Error => Object.assign(new Error(`${code}: of /var/lib/writ/secret-place`), { code });

describe('an error of the host', () => {
  it.each(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'SQLITE_FULL', 'SQLITE_IOERR_WRITE', 'SQLITE_READONLY_DBMOVED', 'SQLITE_CANTOPEN'])(
    'is an outage, and STORAGE_UNAVAILABLE on every surface, without a path of ours but at the terminal: %s',
    (code) => {
      const error = withCode(code);
      expect(isOutage(error)).toBe(true);
      const told = [kernelProblem(error).code, problemOf(error).code, mcpFailure(error).code, cliFailure(error).code];
      expect(told).toEqual(Array(4).fill('STORAGE_UNAVAILABLE'));
      expect([kernelProblem(error).status, problemOf(error).status, cliFailure(error).exit]).toEqual([503, 503, 3]);
      for (const says of [kernelProblem(error).detail, problemOf(error).detail, mcpFailure(error).message]) {
        expect(says).toMatch(/^a disk of this host (is full|cannot be written or read)$/);
        expect(cliFailure(error).message).toBe(`${says}: ${error.message}`);
      }
    },
  );

  it('that is none of a disk is an outage, and told as it was', () => {
    for (const code of ['EMFILE', 'ENFILE', 'ENOMEM', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE']) {
      const error = withCode(code);
      expect([isOutage(error), withDiskFault(error)]).toEqual([true, error]);
    }
  });

  it('of a program, or one of ours, is taken as it is', () => {
    const errors = [
      new Error('a bug'),
      withCode('ENOENT'),
      withCode('SQLITE_CONSTRAINT'),
      withCode('XSQLITE_FULL'),
      new WritError('NOT_FOUND', 'none'),
      'EIO',
      undefined,
    ];
    for (const error of errors) expect([isOutage(error), withDiskFault(error)]).toEqual([false, error]);
    expect(isOutage(new WritError('KERNEL_UNAVAILABLE', 'away'))).toBe(true);
    expect(kernelProblem(withCode('SQLITE_CONSTRAINT'))).toMatchObject({ code: 'INTERNAL', detail: 'the kernel failed; its log says why' });
  });
});
