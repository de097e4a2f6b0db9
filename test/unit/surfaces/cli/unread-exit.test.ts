import { describe, expect, it } from 'vitest';
import { unreadExit } from '../../../../src/surfaces/cli/unread-exit.ts';

describe('a command whose reader has left', () => {
  it.each([
    'vault list',
    '--data-dir push tasks list',
    '--set=a=b audit list',
    'search push',
    'push --help',
    '--version',
    'result a --json',
    'status',
    '--set a=b worker',
    'up',
  ])('ends with 0 when it only reads: %s', (line) => {
    expect(unreadExit(line.split(' '))).toBe(0);
  });

  it.each([
    'push a.ndjson --json',
    '--data-dir list push',
    'vault purge --older-than 0s',
    'doctor --rebuild-ledger',
    'tasks retry',
    'plan run a',
    'constructor',
    '',
  ])('ends as one that SIGPIPE has ended when it may have left something undone: %s', (line) => {
    expect(unreadExit(line.split(' '))).toBe(141);
  });
});
