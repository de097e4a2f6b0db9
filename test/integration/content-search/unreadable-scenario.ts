import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { hostsHere } from '../../support/content/index-damage-host.ts';
import { hostsSettings, treesOf } from '../../support/content/index-host.ts';
import { realBackends, temporaryDirectory } from '../../support/content/rig.ts';

/** Runs as a user who cannot read everything. Prints how an index host takes a directory that is closed, and opened again. */
const folder = temporaryDirectory('unreadable');
const [root, cache] = [path.join(folder, 'root'), path.join(folder, 'cache')];
mkdirSync(path.join(root, 'closed'), { recursive: true });
mkdirSync(cache, { mode: 0o700 });
writeFileSync(path.join(root, 'closed/needle.txt'), 'needle');
chmodSync(path.join(root, 'closed'), 0);
const { rg } = await realBackends();
const hosts = await hostsHere(hostsSettings(cache), treesOf(root, []), rg);
await hosts.settled('UNCERTAIN/ENUMERATION_ERROR');
const [closed, before] = [[hosts.status()?.state, hosts.status()?.reason], hosts.events.length];
chmodSync(path.join(root, 'closed'), 0o700);
await hosts.happened(() => hosts.events.length > before);
await hosts.settled('COMPLETE');
const open = [hosts.status()?.state, hosts.status()?.reason];
const { index_bypass: bypass } = await hosts.search('needle');
await hosts.stop();
rmSync(folder, { recursive: true });
console.log(JSON.stringify({ closed, open, 'found in it': bypass }));
