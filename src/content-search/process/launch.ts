import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../../config/package.ts';
import { dieWithParent } from '../../adapters/linux/die-with-parent.ts';
import { replaceProcess } from '../../adapters/linux/exec.ts';
import { confineToReading } from '../../adapters/linux/landlock.ts';
import type { ContentSettings } from '../io/settings.ts';
import { type ContentProcessArgument, contentProcessArgument, searchModule } from './entry.ts';

/** Where libraries lie that programs are linked with, and how the loader finds them. */
const LIBRARIES = ['/lib', '/lib32', '/lib64', '/usr/lib', '/usr/lib32', '/usr/lib64', '/usr/local/lib', '/etc/ld.so.cache'];

/** What Node asks about itself, and chance for those that do not ask the kernel. */
const ABOUT_ITSELF = ['/proc/self', '/dev/urandom'];

/** Ends a backend when its parent dies. */
const HELPERS = ['setpriv'];

/**
 * The first half of the process of content searches: gives away every right but that of reading what a search needs, and
 * becomes the second half. Threads that Node had before are gone then, so that nothing in the process has the rights any
 * more. Its parent's death is the process's too, across the change.
 */
const { settings } = JSON.parse(process.argv[2] ?? '') as ContentProcessArgument;

/** The channel to the parent: `fork` puts it behind the three standard descriptors. */
const CHANNEL = 3;

dieWithParent();
// A parent that is gone has taken the channel along: what has its number by now is something else.
if (!process.connected) process.exit(0);
const landlock = confineToReading({ read: readableWith(settings), devices: ['/dev/null'] });
replaceProcess({
  file: process.execPath,
  args: [...process.execArgv, fileURLToPath(searchModule()), contentProcessArgument({ settings, landlock })],
  env: {
    NODE_CHANNEL_FD: String(CHANNEL),
    NODE_CHANNEL_SERIALIZATION_MODE: 'json',
    // Node reads OpenSSL's settings when it starts, and there is nothing to encrypt.
    OPENSSL_CONF: '/dev/null',
    TZ: 'UTC',
    LC_ALL: 'C.UTF-8',
  },
  keep: [CHANNEL],
});

/**
 * Everything that the process of content searches may read: the allowed roots, and what Node, this package and the
 * backends are made of. Not the package's directory as a whole: a checkout has the data directory in it.
 */
function readableWith({ allowedRoots, binaries, searchPath, globalIgnoreFile, index }: ContentSettings): readonly string[] {
  const programs = [...binaries, ...HELPERS].flatMap((name) => programFile(name, searchPath) ?? []);
  return [
    ...allowedRoots,
    ...(globalIgnoreFile === '' ? [] : [globalIgnoreFile]),
    // Segments and the socket of the host; the backends are given none of these paths.
    ...(index.cacheRoot === null ? [] : [index.cacheRoot]),
    ...programs,
    process.execPath,
    ...LIBRARIES,
    ...ABOUT_ITSELF,
    ...packageFiles(),
  ];
}

/** The file of a program as it really lies. */
function programFile(name: string, searchPath: string): string | undefined {
  const places = name.includes('/')
    ? [name]
    : searchPath
        .split(':')
        .filter((directory) => path.isAbsolute(directory))
        .map((directory) => path.join(directory, name));
  const found = places.find((place) => existsSync(place));
  return found === undefined ? undefined : realpathSync(found);
}

/** Our own modules, and the packages of every level above: npm puts what several share further up. */
function packageFiles(): readonly string[] {
  const root = packageRoot();
  const above: string[] = [];
  for (let directory = root; directory !== path.dirname(directory); directory = path.dirname(directory)) above.push(path.join(directory, 'node_modules'));
  return [...['package.json', 'tsconfig.json', 'dist', 'src', 'config'].map((name) => path.join(root, name)), ...above];
}
