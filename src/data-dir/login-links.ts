import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile, rm, unlink } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { makeDirectory } from '../adapters/files/make-directory.ts';
import { replaceFileDurably } from '../adapters/files/replace-file.ts';
import { syncDirectory } from '../adapters/files/sync-directory.ts';
import { type Clock, systemClock } from '../core/clock.ts';
import { isWritError, messageOf, WritError } from '../core/errors.ts';
import type { LoginLinks } from '../core/ports/api-keys.ts';
import { KeyRoles } from './api-keys-file.ts';

/** 256 random bits. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;
const LINK_FILE = /^[0-9a-f]{64}$/;
const MAX_LIFE_S = 86_400;
/** More than anybody asks for; a bound for the directory. */
const MAX_LINKS = 1_000;

const Link = z.strictObject({ v: z.literal(1), name: z.string().min(1).max(256), roles: KeyRoles, expires_at: z.iso.datetime({ precision: 3 }) });

/**
 * One-time links: a file (0600) each, named by the SHA-256 of its token, so that who reads the directory cannot log in.
 * Of several who redeem a token only one can unlink its file, in whatever process.
 */
export function createLoginLinks({ directory, clock = systemClock }: { readonly directory: string; readonly clock?: Pick<Clock, 'now'> }): LoginLinks {
  const fileOf = (token: string): string => path.join(directory, createHash('sha256').update(token).digest('hex'));
  return {
    /** Throws WritError INVALID_ARGUMENT (`roles`, `ttl`, `name`), WRONG_STATE with too many open links, STORAGE_UNAVAILABLE. */
    create: (roles, ttlS, name) =>
      storing(directory, async () => {
        if (!Number.isSafeInteger(ttlS) || ttlS < 1 || ttlS > MAX_LIFE_S) {
          throw new WritError('INVALID_ARGUMENT', `ttl must be a whole number of seconds from 1 to ${MAX_LIFE_S}`, { field: 'ttl' });
        }
        const link = Link.safeParse({ v: 1, name, roles, expires_at: new Date(clock.now() + ttlS * 1000).toISOString() });
        if (!link.success) {
          const [issue] = link.error.issues;
          const field = String(issue?.path[0] ?? 'roles');
          throw new WritError('INVALID_ARGUMENT', `${field} ${issue?.message ?? 'is wrong'}`, { field });
        }
        makeDirectory(directory);
        await clear(directory, clock.now());
        const token = randomBytes(32).toString('base64url');
        const file = fileOf(token);
        await replaceFileDurably(file, `${JSON.stringify(link.data)}\n`);
        return token;
      }),
    /** Throws WritError INVALID_CONFIG when the link's file is damaged (it is gone then). */
    redeem: (token) =>
      storing(directory, async () => {
        if (!TOKEN.test(token)) return undefined;
        const file = fileOf(token);
        const text = await unlessMissing(readFile(file, 'utf8'));
        // Only who unlinks the file may use it; durable first, so that a power cut gives it to nobody else.
        if (text === undefined || (await unlessMissing(unlink(file).then(() => true))) === undefined) return undefined;
        await syncDirectory(directory);
        const link = parsed(text);
        if (!link) throw new WritError('INVALID_CONFIG', `the login link ${file} was damaged`);
        return Date.parse(link.expires_at) > clock.now() ? { name: link.name, roles: link.roles } : undefined;
      }),
  };
}

/** Removes links that have expired, or are none. Throws WritError WRONG_STATE when too many are left. */
async function clear(directory: string, now: number): Promise<void> {
  let open = 0;
  for (const name of await readdir(directory)) {
    if (!LINK_FILE.test(name)) continue;
    const file = path.join(directory, name);
    const text = await unlessMissing(readFile(file, 'utf8'));
    const link = text === undefined ? undefined : parsed(text);
    if (link && Date.parse(link.expires_at) > now) open += 1;
    else await rm(file, { force: true });
  }
  if (open >= MAX_LINKS) throw new WritError('WRONG_STATE', `there are ${MAX_LINKS} unused login links already`);
}

function parsed(text: string): z.infer<typeof Link> | undefined {
  try {
    return Link.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
}

async function storing<T>(directory: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isWritError(error)) throw error;
    throw new WritError('STORAGE_UNAVAILABLE', `login links in ${directory} cannot be used: ${messageOf(error)}`, { cause: error });
  }
}
