import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigSchema } from '../../../config/schema.ts';
import { openScopes } from '../../../src/bin/cli/scopes/index.ts';

const room = mkdtempSync(path.join(tmpdir(), 'writ-scopes-'));
const at = (...names: string[]): string => path.join(room, ...names);

beforeAll(() => {
  mkdirSync(at('maildir', 'cur'), { recursive: true });
  mkdirSync(at('maildir', 'new'));
  mkdirSync(at('half', 'cur'), { recursive: true });
  writeFileSync(at('file'), '');
  writeFileSync(at('password'), 'a secret of ours', { mode: 0o600 });
  symlinkSync(room, at('link'));
  spawnSync('mkfifo', [at('fifo')]);
});
afterAll(() => rmSync(room, { recursive: true }));

/** What is wrong with a scope; undefined for nothing. */
async function problem(scope: object): Promise<string | undefined> {
  const [state] = await openScopes(ConfigSchema.parse({ search: { scopes: { it: scope } } })).look();
  return state?.problem;
}

const files = (place: string) => problem({ kind: 'files', path: place });
const mail = (store: string, place: string) => problem({ kind: 'emails', store, path: place });
const data = (place: string) => problem({ kind: 'datasets', format: 'csv', path: place, primary_key: 'id' });

describe('a look at the scopes', () => {
  it('finds nothing wrong with what can be opened', async () => {
    expect(await Promise.all([files(room), mail('maildir', at('maildir')), mail('mbox', at('file')), mail('eml', room), data(at('file'))])).toEqual(
      Array.from({ length: 5 }),
    );
  });

  it('says what is missing, a link, or something else, and waits for no FIFO', async () => {
    expect(await files(at('missing'))).toBe('does not exist');
    expect(await files(at('file'))).toBe('is no directory');
    expect(await files(at('link'))).toMatch(/symbolic link|is no directory/);
    expect(await mail('maildir', at('half'))).toBe('its folder new does not exist');
    expect(await mail('mbox', at('fifo'))).toBe('is no regular file');
    expect(await data(at('fifo'))).toBe('is no regular file');
    expect(await data(room)).toBe('is no regular file');
  });

  it('tells of a mail server that is not there, and shows neither password nor where it lies', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const scope = { kind: 'emails', store: 'imap', host: '127.0.0.1', port, user: 'me', password_file: at('password') };
    const states = await openScopes(ConfigSchema.parse({ search: { scopes: { inbox: scope } } })).look();
    expect(states).toEqual([
      {
        id: 'inbox',
        kind: 'emails',
        capability: 'SEARCH_EMAILS',
        source: 'imap',
        place: `INBOX of me on 127.0.0.1:${port}`,
        problem: 'the mail server refuses connections',
      },
    ]);
  });

  it('knows what searches each scope', () => {
    const scopes = openScopes(ConfigSchema.parse({ search: { scopes: { a: { kind: 'files', path: '/' } } } }));
    expect([scopes.capabilityOf('a'), scopes.capabilityOf('b'), scopes.capabilityOf('constructor')]).toEqual(['SEARCH_FILES', undefined, undefined]);
  });
});
