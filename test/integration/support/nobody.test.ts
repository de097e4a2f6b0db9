import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asNobody, NOBODY } from '../../support/nobody.ts';

describe('a process without privileges', () => {
  const node = path.dirname(process.execPath);
  let home: string;
  let clone: string;
  beforeEach(() => {
    home = mkdtempSync(path.join(tmpdir(), 'writ-home-'));
    clone = path.join(home, 'work/clone');
    mkdirSync(clone, { recursive: true });
    writeFileSync(path.join(home, 'private'), 'private');
    writeFileSync(
      path.join(clone, 'script.mjs'),
      `import { readdirSync, readFileSync } from 'node:fs';
      const status = readFileSync('/proc/self/status', 'utf8');
      const [ids, groups, rights] = ['Uid', 'Groups', 'CapEff'].map((name) => status.split('\\n').find((line) => line.startsWith(name)).slice(name.length + 1).trim());
      console.log(JSON.stringify({ ids, groups, rights, home: readdirSync(${JSON.stringify(home)}) }));`,
    );
  });
  afterEach(() => rmSync(home, { recursive: true }));

  it.each([
    [0o700, ['work']],
    [0o755, ['private', 'work']],
  ])('reads a clone in a directory of mode %o, and nothing beside it that is closed', (mode, seen) => {
    chmodSync(home, mode);
    const { program, args } = asNobody([path.join(clone, 'script.mjs')], [clone, node]);
    const ids = [NOBODY, NOBODY, NOBODY, NOBODY].join('\t');
    expect(JSON.parse(execFileSync(program, args, { encoding: 'utf8' }))).toEqual({ ids, groups: '', rights: '0'.repeat(16), home: seen });
  });

  it('is not started when others may not read the clone itself: the command to run is named', () => {
    chmodSync(clone, 0o700);
    expect(() => asNobody([], [clone, node])).toThrow(`run: chmod -R o+rX ${clone}`);
  });
});
