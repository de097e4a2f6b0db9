import { constants, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { z } from 'zod';
import { Role } from '../contracts/index.ts';
import { parseStrictJson } from '../core/canonical-json.ts';
import { messageOf, WritError } from '../core/errors.ts';

const MAX_FILE_BYTES = 4 * 1024 * 1024;
/** Every one of them is compared on every request. */
export const MAX_KEYS = 1_000;

const Time = z.iso.datetime({ precision: 3 });

/** Who a key is for, as it stands in the audit log: no spaces, nothing that a terminal would obey. */
export const KeyName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/, 'must be 1 to 64 of A-Z a-z 0-9 . _ @ - and start with a letter or digit');
export const KeyRoles = z
  .array(Role)
  .min(1, 'names no role')
  .refine((roles) => new Set(roles).size === roles.length, 'names a role twice');

const Secret = z.strictObject({
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** A rotated secret is good until then. */
  until: Time.optional(),
});
/** A name as messages have them. */
const Named = z.string().min(1, 'is empty').max(256, 'is longer than 256 characters');
export const BoundAgent = Named;
export const BoundProjects = z.array(Named).min(1, 'names none').max(100, 'names more than 100');

const UnboundKey = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{16}$/),
  name: KeyName,
  roles: KeyRoles,
  created_at: Time,
  expires_at: Time.optional(),
  secrets: z.array(Secret).min(1).max(16),
});
/** Of version 2: a key may be bound to an agent, to projects, or to both. */
const StoredKey = UnboundKey.extend({ agent: BoundAgent.optional(), projects: BoundProjects.optional() });
const KeysFile = z.discriminatedUnion('v', [
  z.strictObject({ v: z.literal(1), keys: z.array(UnboundKey).max(MAX_KEYS) }),
  z.strictObject({ v: z.literal(2), keys: z.array(StoredKey).max(MAX_KEYS) }),
]);

export type StoredKey = z.infer<typeof StoredKey>;

/** The keys of a file, and what tells whether it has changed since. */
export interface LoadedKeys {
  readonly keys: readonly StoredKey[];
  readonly stamp: string;
}

/** Device, inode, size and times of a file, as one word; a replaced file never keeps it. */
export async function stampOf(handle: FileHandle): Promise<string> {
  const { dev, ino, size, mtimeNs, ctimeNs } = await handle.stat({ bigint: true });
  return [dev, ino, size, mtimeNs, ctimeNs].join(':');
}

/** Text of a file of keys: of version 1, which older versions of Writ read, unless a key is bound to something. */
export function textOf(keys: readonly StoredKey[]): string {
  const v = keys.some(({ agent, projects }) => agent !== undefined || projects !== undefined) ? 2 : 1;
  return `${JSON.stringify({ v, keys }, undefined, 2)}\n`;
}

/**
 * Opens the file of keys; `undefined` when there is none.
 *
 * @throws WritError INVALID_CONFIG when others than the owner may read or write it, or it is not a plain file of ours
 */
export async function openKeys(file: string): Promise<FileHandle | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw refused(file, `cannot be opened: ${messageOf(error)}`, error);
  }
  const why = whyUnsafe(await handle.stat());
  if (why === undefined) return handle;
  await handle.close();
  throw refused(file, why);
}

function whyUnsafe({ mode, uid, size }: Stats): string | undefined {
  if ((mode & constants.S_IFMT) !== constants.S_IFREG) return 'is no plain file';
  if (uid !== process.geteuid?.()) return `belongs to user ${uid}, not to the user that runs Writ`;
  if ((mode & 0o077) !== 0) return 'can be read or written by others: chmod 600 it';
  if (size > MAX_FILE_BYTES) return `is larger than ${MAX_FILE_BYTES} bytes`;
  return undefined;
}

/**
 * Reads the keys; none when there is no file.
 *
 * @throws WritError INVALID_CONFIG naming the place: a file that is not understood opens no door and closes none
 */
export async function loadKeys(file: string): Promise<LoadedKeys> {
  const handle = await openKeys(file);
  if (!handle) return { keys: [], stamp: 'none' };
  try {
    const stamp = await stampOf(handle);
    return { keys: keysOf(await handle.readFile('utf8'), file), stamp };
  } finally {
    await handle.close();
  }
}

function keysOf(text: string, file: string): readonly StoredKey[] {
  let value: unknown;
  try {
    value = parseStrictJson(text, { maxBytes: MAX_FILE_BYTES });
  } catch (error) {
    throw refused(file, `is damaged: ${messageOf(error)}`, error);
  }
  const parsed = KeysFile.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw refused(file, `is damaged at ${issue?.path.join('.') || 'its top'}: ${issue?.message ?? 'is no file of keys'}`);
  }
  const { keys } = parsed.data;
  const twice = repeated(keys.flatMap(({ id, name, secrets }) => [`id ${id}`, `name ${name}`, ...secrets.map(({ sha256 }) => sha256)]));
  if (twice !== undefined) throw refused(file, `is damaged: ${twice} stands in it twice`);
  return keys.filter(({ secrets }) => !secrets.some(({ sha256 }) => sha256.startsWith(BLOTTED)));
}

/** No secret has such a hash. */
const BLOTTED = '0'.repeat(32);

/**
 * Takes a key away on a disk that has no room for a new file: the hashes of its secrets are written over, with as many
 * bytes. Such a key is none; the next change leaves it out. Whatever of it a power cut keeps, the file stays whole, and no
 * secret of the key fits a hash that was begun.
 *
 * @returns whether there was the key
 * @throws WritError INVALID_CONFIG as `loadKeys`
 */
export async function blotOut(file: string, id: string): Promise<boolean> {
  const { keys } = await loadKeys(file);
  const key = keys.find((one) => one.id === id);
  if (!key) return false;
  const handle = await open(file, constants.O_RDWR | constants.O_NOFOLLOW);
  try {
    const text = await handle.readFile();
    for (const [at, { sha256 }] of key.secrets.entries()) {
      const blot = `${BLOTTED}${id}${at.toString(16).padStart(16, '0')}`;
      await handle.write(blot, text.indexOf(sha256), 'latin1');
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  return true;
}

function repeated(words: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return words.find((word) => seen.size === seen.add(word).size);
}

function refused(file: string, why: string, cause?: unknown): WritError {
  return new WritError('INVALID_CONFIG', `the file of API keys ${file} ${why}`, cause === undefined ? {} : { cause });
}
