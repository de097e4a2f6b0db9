import { fileURLToPath } from 'node:url';
import { dieWithParent } from '../../adapters/linux/die-with-parent.ts';
import { replaceProcess } from '../../adapters/linux/exec.ts';
import { confineToReading } from '../../adapters/linux/landlock.ts';
import { type ContentProcessArgument, contentProcessArgument, searchModule } from './entry.ts';
import { readableWith } from './readable.ts';

/**
 * The first half of the process of content searches: gives away every right but that of reading what a search needs, and
 * becomes the second half. Threads that Node had before are gone then, so that nothing in the process has the rights any
 * more. Its parent's death is the process's too, across the change.
 */
const { settings } = JSON.parse(process.argv[2] ?? '') as ContentProcessArgument;

/** The channel to the parent: `fork` puts it behind the three standard descriptors. */
const CHANNEL = 3;

dieWithParent();
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
