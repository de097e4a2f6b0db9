import { describe, expect, it } from 'vitest';
import { tuiRig } from '../../../support/tui.ts';

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
