import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { createApiKeyStore } from '../../../src/data-dir/api-keys.ts';
import { dataDirPaths } from '../../../src/data-dir/paths.ts';
import { commandLine, lastJson } from '../../support/command-line.ts';
import { fillDisk, mountSmallDisk } from '../../support/small-disk.ts';

/** Runs in a mount namespace of its own: revokes a key where not a byte is left, makes room, and goes on. */
const directory = process.argv[2] ?? '';
mountSmallDisk(directory, { bytes: 2 ** 20, command: 'npm test' });

const places = dataDirPaths(path.join(directory, 'data'));
const filler = path.join(directory, 'filler');
const writ = (...args: string[]) => commandLine(['--data-dir', places.dataDir, ...args]);
const create = async (name: string) => lastJson(await writ('key', 'create', name, '--roles', 'read', '--json'));
const secretOf = (name: string): string => readFileSync(path.join(path.dirname(places.apiKeys), `${name}.key`), 'utf8').trim();

const { id } = await create('shop');
await create('other');
// A server that has read the keys already.
const running = createApiKeyStore({ file: places.apiKeys });
const [shop, other] = [secretOf('shop'), secretOf('other')];
await running.find(shop);
fillDisk(filler);
// What is left of the pages of the log is used up too.
let refused = await writ('key', 'create', 'x', '--roles', 'read');
for (let times = 0; refused.code === 0 || !refused.err.includes('audit log'); times += 1) refused = await writ('key', 'revoke', `none-${times}`);
const revoked = await writ('key', 'revoke', String(id));
const report = {
  refused: refused.code,
  revoked,
  gone: (await createApiKeyStore({ file: places.apiKeys }).find(shop)) === undefined && (await running.list()).every((key) => key.id !== id),
  other: (await running.find(other)) !== undefined,
  verified: (await writ('audit', 'verify')).code,
};
const again = await writ('key', 'revoke', String(id));
rmSync(filler);
await create('third');
const trail = readFileSync(places.audit, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { action: string; subject: string; outcome: string; detail?: object })
  .filter(({ outcome }) => outcome === 'done')
  .map(({ action, subject, outcome, detail = {} }) => [action, subject, outcome, 'late' in detail]);
const file = (JSON.parse(readFileSync(places.apiKeys, 'utf8')) as { keys: { name: string }[] }).keys.map(({ name }) => name);
const end = { again: { code: again.code, err: again.err }, trail, verifiedAfter: (await writ('audit', 'verify')).code, file };
process.stdout.write(`${JSON.stringify({ ...report, ...end })}\n`);
