import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { hostsHere } from '../../support/content/index-damage-host.ts';
import { hostsSettings, treesOf } from '../../support/content/index-host.ts';
import { realBackends } from '../../support/content/rig.ts';

/** Runs in namespaces of its own; `argv[2]` is an empty directory. Prints what index hosts did where arming is refused. */
const [, , folder = ''] = process.argv;
const answers: Record<string, unknown> = {};
const mount = (...args: string[]): void => void execFileSync('mount', args);
const { rg: backend } = await realBackends();
/** A second attempt would come after an hour. */
const SELDOM = { firstMs: 3_600_000, mostMs: 3_600_000, memoryMs: 3_600_000 };

function treeOf(name: string, directories: readonly string[]): string {
  const root = path.join(folder, name);
  for (const directory of ['', ...directories]) {
    mkdirSync(path.join(root, directory), { recursive: true });
    writeFileSync(path.join(root, directory, 'a.txt'), 'hay');
  }
  writeFileSync(path.join(root, 'needle.txt'), 'a needle');
  mkdirSync(path.join(folder, `${name}-cache`), { mode: 0o700 });
  return root;
}
const hostsOf = (root: string) => hostsHere(hostsSettings(`${root}-cache`, { pauses: SELDOM }), treesOf(root, []), backend);

async function ignoredMount(): Promise<void> {
  const root = treeOf('ignored', ['skipped', 'seen']);
  writeFileSync(path.join(root, '.gitignore'), 'skipped/\n');
  mount('--rbind', '/proc', path.join(root, 'skipped'));
  await using hosts = await hostsOf(root);
  await hosts.settled('COMPLETE');
  answers['a foreign mount in an ignored directory'] = hosts.status()?.guarantee;
  execFileSync('umount', ['-l', path.join(root, 'skipped')]);
  answers['the end of that mount'] = (await hosts.search('needle')).index_bypass;
  mount('-t', 'tmpfs', 'writ-test', path.join(root, 'seen'));
  answers['a mount that searches see'] = (await hosts.search('needle')).index_bypass;
}

async function foreignMount(): Promise<void> {
  const root = treeOf('foreign', ['seen']);
  mkdirSync(path.join(root, 'seen/proc'));
  mount('--rbind', '/proc', path.join(root, 'seen/proc'));
  await using hosts = await hostsOf(root);
  const attempts = (): number => hosts.events.filter(({ kind }) => kind === 'armed').length;
  const done = (task: string): number => hosts.events.filter((event) => event.kind === 'task' && event.task === task).length;
  await hosts.happened(() => attempts() > 0);
  // Whatever was to follow at once has its turn between these.
  for (let round = 1; round <= 10; round += 1) {
    await hosts.ask('check');
    await hosts.happened(() => done('check') >= round);
  }
  answers['attempts while nothing changes'] = attempts();
  answers['builds for nothing'] = hosts.events.filter((event) => event.kind === 'task' && event.outcome === 'done').length;
  answers['why'] = hosts.events.find(({ kind }) => kind === 'armed');
  answers['level'] = hosts.status()?.guarantee;
  execFileSync('umount', ['-l', path.join(root, 'seen/proc')]);
  await hosts.ask('reconcile');
  await hosts.settled('COMPLETE');
  answers['when it is over'] = hosts.status()?.guarantee;
}

async function watchLimit(): Promise<void> {
  const root = treeOf(
    'limit',
    Array.from({ length: 20 }, (_, at) => `d${at}`),
  );
  // Of this user namespace alone.
  writeFileSync('/proc/sys/user/max_inotify_watches', '10');
  await using hosts = await hostsOf(root);
  await hosts.settled('COMPLETE');
  answers['no watches left'] = hosts.events.find(({ kind }) => kind === 'armed');
  answers['level without watches'] = hosts.status()?.guarantee;
  answers['states without watches'] = hosts.events.flatMap((event) => (event.kind === 'state' ? [event.after.reason ?? event.after.state] : []));
  const { index_bypass, index_guarantee } = await hosts.search('needle');
  answers['a search without watches'] = { index_bypass, index_guarantee };
  writeFileSync(path.join(root, 'd7/a.txt'), 'another needle');
  // It compares with a search that has no index.
  answers['a change without watches'] = (await hosts.search('needle')).index_bypass;
  writeFileSync('/proc/sys/user/max_inotify_watches', '1000');
  await hosts.ask('reconcile');
  await hosts.happened(() => hosts.status()?.guarantee === 'inotify');
  await hosts.settled('COMPLETE');
  answers['watches again'] = (await hosts.search('needle')).index_guarantee;
}

await ignoredMount();
await foreignMount();
await watchLimit();
console.log(JSON.stringify(answers));
