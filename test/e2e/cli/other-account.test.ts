import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asNobody } from '../../support/nobody.ts';
import { startCommand, writArgs } from '../../support/writ-process.ts';

describe('a command of another account', () => {
  let home: string;
  let dataDir: string;
  beforeAll(() => {
    home = mkdtempSync(path.join(tmpdir(), 'writ-other-'));
    chmodSync(home, 0o755);
    dataDir = path.join(home, 'data');
    mkdirSync(dataDir, { mode: 0o700 });
    mkdirSync(path.join(dataDir, 'keys'), { mode: 0o700 });
    writeFileSync(path.join(dataDir, 'writ.toml'), '');
    writeFileSync(path.join(home, 'writ.toml'), '', { mode: 0o644 });
  });
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  const run = async (words: readonly string[]) => {
    const { program, args } = asNobody(writArgs(words));
    const writ = startCommand(program, args, { env: { ...process.env, HOME: home } });
    return { code: await writ.ended, said: writ.said() };
  };

  it.each([['doctor'], ['status'], ['vault list'], ['reload'], ['messages search word'], ['result a-task'], ['key list']])(
    'is told which directory it may not read, and ends as after an error: %s',
    async (words) => {
      const { code, said } = await run(['--data-dir', dataDir, '--config', path.join(home, 'writ.toml'), ...words.split(' ')]);
      expect({ code, said }).toEqual({ code: 3, said: expect.stringContaining(`this account may not read ${dataDir} (EACCES)`) });
      expect(said).toContain('(STORAGE_UNAVAILABLE)');
    },
  );

  it('is told so before its settings are read, and of the outermost directory', async () => {
    const { code, said } = await run(['--data-dir', path.join(dataDir, 'keys'), 'status']);
    expect({ code, said }).toEqual({ code: 3, said: expect.stringContaining(`this account may not read ${dataDir} (EACCES)`) });
  });

  it('is told by doctor what cannot be written, and not that Linux is missing', async () => {
    chmodSync(dataDir, 0o755);
    try {
      const { code, said } = await run(['--data-dir', dataDir, 'doctor']);
      expect(said).toContain(`nothing can be written in ${dataDir} (EACCES)`);
      expect(said).not.toContain('worker roles need Linux');
      expect(said).toMatch(/kernel key.*this account may not read .*keys \(EACCES\)/);
      expect(code).not.toBe(0);
    } finally {
      chmodSync(dataDir, 0o700);
    }
  });
});
