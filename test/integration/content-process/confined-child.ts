import { fileURLToPath } from 'node:url';
import { replaceProcess } from '../../../src/adapters/linux/exec.ts';
import { confineToReading } from '../../../src/adapters/linux/landlock.ts';

/** Gives its rights away but that of reading what the first argument names, and becomes the probe, which says what it still can do. */
const [allowed = '', ...asked] = process.argv.slice(2);
const here = fileURLToPath(new URL('.', import.meta.url));
// Which kind of module a file is stands there; Node 24 ends if it may not look.
const packageFile = fileURLToPath(new URL('../../../package.json', import.meta.url));
const landlock = confineToReading({
  read: [
    allowed,
    here,
    packageFile,
    process.execPath,
    '/lib',
    '/lib64',
    '/usr/lib',
    '/usr/bin/cat',
    '/etc/ld.so.cache',
    '/proc/self',
    '/there/is/nothing/here',
  ],
  devices: ['/dev/null'],
});
replaceProcess({
  file: process.execPath,
  args: [fileURLToPath(new URL(`./confined-probe${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url)), String(landlock), ...asked],
  env: { NODE_CHANNEL_FD: '3', NODE_CHANNEL_SERIALIZATION_MODE: 'json', OPENSSL_CONF: '/dev/null', PATH: '/usr/bin' },
  keep: [3],
});
