import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EMPTY_SHELF, MAX_HISTORY, MAX_RECIPES, type Shelf } from '../../../../src/core/ports/screen-shelf.ts';
import { createScreenShelf } from '../../../../src/data-dir/screen-shelf.ts';
import { NO_FACETS } from '../../../../src/surfaces/tui/model/facets.ts';
import { askedBy, linkOf } from '../../../../src/surfaces/tui/model/link.ts';
import { recipesInOrder, withoutRecipe, withRecipe, withSearch } from '../../../../src/surfaces/tui/model/shelf.ts';
import { tuiRig } from '../../../support/tui.ts';

const facets = fc.record({
  kind: fc.constantFrom('message', 'agent', 'project', 'all'),
  importance: fc.constantFrom('', 'urgent', 'high', 'normal', 'low'),
  ack: fc.constantFrom('', 'required', 'none'),
  sort: fc.constantFrom('relevance', 'newest', 'oldest'),
  thread: fc.string({ unit: 'grapheme', maxLength: 12 }),
  scope: fc.constantFrom('', 'project:3', 'product:12'),
  mode: fc.constantFrom('', 'lexical', 'semantic', 'hybrid', 'hybrid_rerank'),
});

describe('the link of a search', () => {
  it('says what is asked for, and only that', () => {
    const all = { text: 'hello world', facets: { ...NO_FACETS, kind: 'all', importance: 'urgent', ack: 'required', sort: 'newest', thread: 't-1' } };
    expect(linkOf(all)).toBe('/search?q=hello%20world&type=all&imp=urgent&ack=1&sort=newest&thread=t-1');
    expect(linkOf({ text: '', facets: NO_FACETS })).toBe('/search');
    expect(linkOf({ text: 'a&b=c#d+e/ä', facets: NO_FACETS })).toBe('/search?q=a%26b%3Dc%23d%2Be%2F%C3%A4');
  });

  it('leads back to the same search, whatever is in it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 30 }), facets, (text, given) => {
        const asked = { text, facets: given };
        const link = linkOf(asked);
        expect(askedBy(link)).toEqual(asked);
        const keys = [...new URLSearchParams(link.split('?')[1]).keys()];
        expect(keys).toEqual(['q', 'scope', 'type', 'imp', 'ack', 'sort', 'thread', 'mode'].filter((key) => keys.includes(key)));
      }),
    );
  });

  it('is read as far as it is understood, and is no link without its path', () => {
    expect(askedBy('/search?imp=huge&type=agents&q=%ZZ&x=1&scope=moon:3&sort=relevance')).toEqual({ text: '%ZZ', facets: { ...NO_FACETS, kind: 'agent' } });
    for (const words of ['', 'search', '/searching?q=a', 'deploy /search?q=a']) expect(askedBy(words)).toBeUndefined();
  });
});

describe('what the screen keeps', () => {
  it('has a place for each name, pinned ones first, and no more than there is room for', () => {
    const kept = (shelf: Shelf, name: string, now: number): Shelf => withRecipe(shelf, { name, link: `/search?q=${name}` }, now) ?? expect.unreachable(name);
    let shelf = EMPTY_SHELF;
    for (let n = 0; n < MAX_RECIPES; n += 1) shelf = kept(shelf, `r${n}`, n);
    expect(withRecipe(shelf, { name: 'one more', link: '/search' }, 1)).toBeUndefined();
    shelf = kept(shelf, 'r7', 1000);
    expect([shelf.recipes.length, recipesInOrder(shelf)[0]?.name]).toEqual([MAX_RECIPES, 'r7']);
    expect(withRecipe(withoutRecipe(shelf, 'r7'), { name: 'one more', link: '/search' }, 1)?.recipes).toHaveLength(MAX_RECIPES);
  });

  it('remembers the newest searches, each once', () => {
    let shelf = EMPTY_SHELF;
    for (let at = 0; at < MAX_HISTORY + 50; at += 1) shelf = withSearch(shelf, { link: `/search?q=${at % (MAX_HISTORY + 5)}`, results: at, at });
    expect(shelf.history).toHaveLength(MAX_HISTORY);
    expect(new Set(shelf.history.map(({ link }) => link)).size).toBe(MAX_HISTORY);
    expect(shelf.history[0]).toEqual({ link: '/search?q=44', results: 249, at: 249 });
  });

  it('lies in a file of its owner, which screens change in turn, and which is not written over when it is damaged', async () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'writ-shelf-'));
    const file = path.join(directory, 'messages', 'screen.json');
    const [one, other] = [createScreenShelf(file), createScreenShelf(file)];
    expect(await one.read()).toEqual(EMPTY_SHELF);
    const searches = Array.from({ length: 20 }, (_, at) => ({ link: `/search?q=${at}`, results: 0, at }));
    await Promise.all(searches.map((past, at) => (at % 2 === 0 ? one : other).change((shelf) => withSearch(shelf, past))));
    expect((await other.read()).history.map(({ at }) => at).toSorted((a, b) => a - b)).toEqual(searches.map(({ at }) => at));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    writeFileSync(file, '{"v":1,"recipes":');
    await expect(one.read()).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    await expect(one.change(() => EMPTY_SHELF)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    expect(readFileSync(file, 'utf8')).toBe('{"v":1,"recipes":');
    rmSync(directory, { recursive: true });
  });
});

describe('recipes and past searches on the screen', () => {
  it('keeps a search under a name, pins, loads and removes it', async () => {
    const rig = await tuiRig(undefined, 'sqlite');
    await rig.keys('enter', 'i', 'i', 'w');
    expect(rig.lines().join('\n')).toContain('Name: sqlite▏');
    await rig.keys('ctrl+u', 'type:locks', 'enter');
    expect(rig.play.shelf.recipes).toMatchObject([{ name: 'locks', link: '/search?q=sqlite&imp=high', pinned: false, uses: 0 }]);
    expect(rig.lines().join('\n')).toContain('Kept as locks');
    await rig.keys('x', 'w', 'ctrl+u', 'type:all of it', 'enter', 'v');
    const shown = rig.lines().join('\n');
    expect(shown.indexOf('all of it')).toBeLessThan(shown.indexOf('locks'));
    await rig.keys('down', 'p');
    expect(rig.lines().join('\n')).toMatch(/\* locks +\/search\?q=sqlite&imp=high/);
    await rig.keys('up', 'enter');
    expect(rig.asked.at(-1)).toMatchObject({ text: 'sqlite', importance: ['high'] });
    expect(rig.play.shelf.recipes.find(({ name }) => name === 'locks')?.uses).toBe(1);
    await rig.keys('v', 'down', 'd');
    expect(rig.play.shelf.recipes.map(({ name }) => name)).toEqual(['locks']);
    await rig.keys('escape');
    expect(rig.session.state().overlay).toBe('none');
  });

  it('notes what was looked at, not what was typed on the way there', async () => {
    const rig = await tuiRig();
    await rig.keys('type:lock', 'type:ed', 'enter', '/', 'ctrl+u', 'type:cache', 'enter', 'h');
    expect(rig.play.shelf.history.map(({ link }) => link)).toEqual(['/search?q=cache', '/search?q=locked']);
    await rig.keys('down', 'enter');
    expect(rig.session.state()).toMatchObject({ text: 'locked', focus: 'results', overlay: 'none' });
    expect(rig.asked.at(-1)).toMatchObject({ text: 'locked' });
  });

  it('shows the link of the search, and the keys of all of it in 80 columns', async () => {
    const rig = await tuiRig(undefined, 'cache ttl');
    await rig.keys('enter', 's');
    for (const key of ['w save', 'v saved', 'h past', 'y link', 'e explain', '? help']) expect(rig.lines().at(-1)).toContain(key);
    await rig.keys('y');
    expect(rig.lines().join('\n')).toContain('/search?q=cache%20ttl&sort=newest');
  });

  it('says that something could not be kept, and goes on', async () => {
    const rig = await tuiRig(undefined, 'cache');
    rig.play.shelfFailure = new Error('the disk is full');
    await rig.keys('enter', 'w', 'enter');
    expect(rig.lines().join('\n')).toContain('Not kept: the disk is full');
    await rig.keys('/', 'type:s');
    expect(rig.asked.at(-1)).toMatchObject({ text: 'caches' });
  });
});
