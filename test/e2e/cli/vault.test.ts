import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SqliteFileJournal } from '../../../src/adapters/sqlite/journal/journal.ts';
import { createInProcessJournal } from '../../../src/adapters/sqlite/journal/journal-in-process.ts';
import { readSettings } from '../../../src/bin/cli/settings.ts';
import { openVault } from '../../../src/bin/cli/vault.ts';
import { VAULT_DIRECTORY } from '../../../src/contracts/index.ts';
import type { BasePath, FileIdentity, FileIntent } from '../../../src/core/ports/index.ts';
import { openAudit } from '../../../src/data-dir/open-audit.ts';

const NAME = `d-${'a'.repeat(40)}-1`;
const IDENTITY: FileIdentity = { dev: '1', ino: '2', size: '4', mtimeNs: '3', ctimeNs: '4' };
const BY = { olderThanS: 0, now: 2_000 };

let home: string;
let base: string;
let journal: SqliteFileJournal;

const at = (...segments: string[]): BasePath => ({ base: 'main', segments });
const intent = (taskId: string, operation: FileIntent['operation'], source: BasePath, destination: BasePath): FileIntent => ({
  taskId,
  manifestSha256: 'a'.repeat(64),
  authority: { jti: 'j', exp: 1, kid: 'k' },
  process: { instance: 'w', pid: 1, startTime: '1' },
  operation,
  method: 'rename',
  source,
  destination,
  sourceIdentity: IDENTITY,
  temporary: undefined,
  retired: undefined,
  undoOf: undefined,
});
const settings = () => readSettings({ dataDir: path.join(home, 'data'), set: { 'file.base_directories.main': base }, json: false });
const audit = async () => openAudit(settings().places);
const purge = async () => {
  await using vault = openVault(settings(), audit);
  return (await vault.purge(await vault.entries({}, undefined, 10), BY)).map(({ what }) => what);
};

beforeEach(async () => {
  home = mkdtempSync(path.join(tmpdir(), 'writ-vault-'));
  base = path.join(home, 'base');
  mkdirSync(path.join(base, VAULT_DIRECTORY), { recursive: true });
  mkdirSync(path.join(home, 'data'), { mode: 0o700 });
  writeFileSync(path.join(base, VAULT_DIRECTORY, NAME), 'data');
  journal = createInProcessJournal({ file: settings().places.journal });
  await journal.start();
  await journal.open(intent('deleted', 'delete', at('x'), at(VAULT_DIRECTORY, NAME)), { bytes: 4, quota: 100 }, 1_000);
  await journal.close('deleted', 1, { state: 'success', result: '{}', outcomeIdentity: IDENTITY }, 1_000);
});
afterEach(async () => {
  await journal.stop();
  rmSync(home, { recursive: true, force: true });
});

describe('a purge of the vault', () => {
  it('leaves alone what an open undo wants back, and takes it when the undo has failed', async () => {
    await journal.open(intent('undo', 'move', at(VAULT_DIRECTORY, NAME), at('x')), undefined, 1_500);
    expect(await purge()).toEqual(['in-use']);
    expect(existsSync(path.join(base, VAULT_DIRECTORY, NAME))).toBe(true);
    expect(existsSync(settings().places.audit)).toBe(false);
    await journal.close('undo', 1, { state: 'failure', result: '{}', doubtful: false }, 1_600);
    expect(await purge()).toEqual(['purged']);
    expect(existsSync(path.join(base, VAULT_DIRECTORY, NAME))).toBe(false);
    expect(await journal.vaultUsage()).toEqual([{ base: 'main', bytes: 0, files: 0 }]);
  });

  it('finishes one that was broken off between the file and its entry', async () => {
    rmSync(path.join(base, VAULT_DIRECTORY, NAME));
    expect(await purge()).toEqual(['gone']);
    expect(await purge()).toEqual([]);
  });

  it('asks in the audit log before the file goes, and tells there how it ended', async () => {
    rmSync(path.join(base, VAULT_DIRECTORY), { recursive: true });
    expect(await purge()).toEqual(['failed']);
    const records = readFileSync(settings().places.audit, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(records).toMatchObject([
      { n: 1, action: 'vault.purge', subject: 'deleted', outcome: 'asked', surface: 'cli', detail: { base: 'main', name: NAME, older_than_s: 0 } },
      { n: 2, action: 'vault.purge', subject: 'deleted', outcome: 'refused', detail: { answer: 'failed', why: expect.stringContaining('vault') } },
    ]);
    expect(await journal.vaultEntries({}, undefined, 10)).toHaveLength(1);
  });

  it('removes nothing when the audit log cannot be written', async () => {
    mkdirSync(settings().places.audit);
    await expect(purge()).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    expect(existsSync(path.join(base, VAULT_DIRECTORY, NAME))).toBe(true);
  });

  it('removes nothing below a base directory that is not configured any more', async () => {
    await using vault = openVault(readSettings({ dataDir: path.join(home, 'data'), set: {}, json: false }), audit);
    const [answer] = await vault.purge(await vault.entries({}, undefined, 10), BY);
    expect(answer).toMatchObject({ what: 'failed', why: expect.stringContaining('not configured any more') });
    expect(existsSync(path.join(base, VAULT_DIRECTORY, NAME))).toBe(true);
  });
});
