import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { EMPTY_SHELF } from '../../../src/core/ports/screen-shelf.ts';
import { createScreenShelf } from '../../../src/data-dir/screen-shelf.ts';
import { withSearch } from '../../../src/surfaces/tui/model/shelf.ts';

describe('the shelf of the screen', () => {
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
