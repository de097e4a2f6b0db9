import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { hostsHere } from '../../support/content/index-damage-host.ts';
import { hostsSettings, treesOf } from '../../support/content/index-host.ts';
import { realBackends, temporaryDirectory } from '../../support/content/rig.ts';
import { BEFORE, isChanged, type Told, WRITE_WAYS, type WriteWay, type WriteWayName } from '../../support/content/write-ways.ts';
import { armAndPublish, createWatchRig, type WatchRig } from './watch-rig.ts';

const names = Object.keys(WRITE_WAYS) as WriteWayName[];

/** Whether the next search looks into the file. */
function isTold({ watch }: WatchRig, name: string): boolean {
  watch.look();
  return watch.veto !== null || watch.overlay().files.includes(name);
}

describe('a way to change a file', () => {
  it.each(names)('is known as the page says: %s', { tags: ['FR-LSI-TRK-04'] }, async (name) => {
    using rig = createWatchRig();
    const file = rig.at('file');
    writeFileSync(file, BEFORE);
    await armAndPublish(rig.watch);
    expect(isTold(rig, 'file')).toBe(false);
    const { write, told }: WriteWay = WRITE_WAYS[name];
    const end = await write(file, Buffer.from('after!\n'), rig.at('other'));
    expect(isChanged(file)).toBe(true);
    expect(isTold(rig, 'file')).toBe(told === 'at once');
    end();
    expect(isTold(rig, 'file')).toBe(true);
  });

  it('of which no event tells is found by the comparison with the tree that comes anyway', { tags: ['FR-LSI-REC-03'] }, async () => {
    const folder = temporaryDirectory('write-ways');
    const [root, cache] = [path.join(folder, 'root'), path.join(folder, 'cache')];
    mkdirSync(root);
    mkdirSync(cache, { mode: 0o700 });
    const untold = names.filter((name) => WRITE_WAYS[name].told !== 'at once');
    for (const at of untold.keys()) writeFileSync(path.join(root, `${at}`), BEFORE);
    await using hosts = await hostsHere(hostsSettings(cache), treesOf(root, []), (await realBackends()).rg);
    await hosts.settled('COMPLETE');
    const ends = await Promise.all(
      untold.map((name, at) => WRITE_WAYS[name].write(path.join(root, `${at}`), Buffer.from('needle\n'), path.join(root, `other ${at}`))),
    );
    const done = hosts.events.length;
    await hosts.ask('reconcile');
    await hosts.happened(() => hosts.events.slice(done).some((event) => event.kind === 'task' && event.task === 'reconcile'));
    // It compares with a search that has no index.
    expect(await hosts.search('needle')).toMatchObject({ index_bypass: null, candidates_scanned: untold.length });
    for (const end of ends) end();
    rmSync(folder, { recursive: true });
  });

  it('is on the page of the watch', () => {
    const page = readFileSync(new URL('../../../docs/index-watch.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| (?<ways>[^|]+) \| (?<told>at once|when closed|when unmapped) \|$/gm)];
    const onPage = rows.flatMap(({ groups }) => (groups?.['ways'] ?? '').split('; ').map((way): readonly [string, Told] => [way, groups?.['told'] as Told]));
    const listed = names.map((name): readonly [string, Told] => [name, WRITE_WAYS[name].told]);
    expect([...onPage].sort()).toEqual([...listed].sort());
  });
});
