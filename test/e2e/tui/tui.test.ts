import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PutMessage } from '../../../src/contracts/index.ts';
import { dataDirPaths } from '../../../src/data-dir/paths.ts';
import { createWriteEngine } from '../../../src/messages/store/write/engine.ts';
import { cells, characters } from '../../../src/surfaces/tui/text/cells.ts';
import { writeCorpus } from '../../quality/messages/mailbox.ts';
import { commandLine } from '../../support/command-line.ts';
import { scriptArgs } from '../../support/compiled/script.ts';
import { openTerminal, type Terminal } from '../../support/tmux.ts';

const WRIT = new URL('../../../src/bin/writ.ts', import.meta.url);

const home = mkdtempSync(path.join(tmpdir(), 'writ-tui-'));
const places = dataDirPaths(path.join(home, 'data'));
let terminal: Terminal;

beforeAll(() => {
  mkdirSync(places.dataDir, { recursive: true, mode: 0o700 });
  writeFileSync(places.configFile, '[log]\nlevel = "silent"\n', { mode: 0o600 });
  writeCorpus(places.messages);
  // A person may sit at a terminal of a build server, where Ink would draw nothing.
  terminal = openTerminal(home, ['env', 'CI=true', 'FORCE_COLOR=1', process.execPath, ...scriptArgs(WRIT, ['--data-dir', places.dataDir, 'tui'])]);
});
afterAll(() => {
  terminal[Symbol.dispose]();
  rmSync(home, { recursive: true, force: true });
});

/** One person at one screen: each step goes on where the one before has left it. */
describe('writ tui in a terminal of 80x24', () => {
  it('begins with the newest messages, all parts and the keys', async () => {
    const text = await terminal.shows('155 results');
    expect(text).toMatch(/^Writ · message search/);
    for (const part of [
      'Search:',
      'Kind messages',
      'Imp any',
      'Ack any',
      'Sort relevance',
      'Thread any',
      'Scope everywhere',
      'Mode auto',
      '── Results',
      '── Preview',
    ]) {
      expect(text).toContain(part);
    }
    expect(text).toContain('Ctrl-C quit');
  });

  it('finds what is typed, and marks it in the message', async () => {
    terminal.type('databas* locked');
    await terminal.shows(/\b[1-9]\d? results? · fts5/);
    terminal.press('Enter');
    await terminal.shows(/^› .*sqlite: database is locked/m);
    // In yellow, as capture-pane writes it.
    expect(terminal.painted()).toContain('\u001b[33mlocked');
  });

  it('takes keys that arrive together one after the other', async () => {
    terminal.press('Down', 'Up', 'i', 'i');
    await terminal.shows('Imp high');
    terminal.press('x');
    await terminal.shows('Imp any');
  });

  it.each(['semantic', 'hybrid'])('says that %s is not there and what was done instead', { tags: ['MS-128'] }, async (mode) => {
    terminal.press('m');
    if (mode === 'semantic') terminal.press('m');
    await terminal.shows(`Mode ${mode}`);
    await terminal.shows(`⚠ Degraded: ${mode} is not available, searched lexical`);
  });

  it('goes back to the deterministic lexical search with auto', { tags: ['MS-127'] }, async () => {
    terminal.press('x');
    await terminal.shows('Mode auto');
    await terminal.shows(/^(?![\s\S]*Degraded)[\s\S]*results? · fts5 ·/);
  });

  it('narrows to a project and to a thread', async () => {
    terminal.press('p', 'p', 'p', 'p');
    await terminal.shows('Scope mobile-app');
    await terminal.shows('(nothing found)');
    terminal.press('x');
    await terminal.shows('thread br-107');
    terminal.press('t');
    await terminal.shows('Thread br-107');
    terminal.press('x');
    await terminal.shows('Thread any');
  });

  it('reads a message to its end and comes back', async () => {
    terminal.press('Enter');
    await terminal.shows('← results');
    terminal.press('Left', '?');
    await terminal.shows('Ctrl-W, Ctrl-U, Ctrl-K');
    terminal.press('Escape');
    await terminal.shows('── Preview');
  });

  it('shows how it was searched', async () => {
    terminal.press('e');
    await terminal.shows(/method +fts5, engine fts5/);
    terminal.press('e');
    await terminal.shows('── Preview');
  });

  it('keeps a search, finds it again, and shows its link', async () => {
    terminal.press('w');
    await terminal.shows('Name: databas* locked');
    terminal.press('C-u');
    terminal.type('locks');
    terminal.press('Enter');
    await terminal.shows('Kept as locks');
    await terminal.shows('w save  v saved  h past  y link  e explain');
    terminal.press('/', 'C-u');
    terminal.type('reservation');
    await terminal.shows('Search: reservation');
    // A search that nobody waited for is not noted, and the screen does not tell that of the last letter from the one before.
    terminal.press('Enter');
    await expect.poll(() => readFileSync(places.screenShelf, 'utf8')).toContain('q=reservation"');
    terminal.press('v');
    await terminal.shows(/› +locks +\/search\?q=databas\*%20locked/);
    await terminal.shows('p pin  d remove');
    terminal.press('Enter');
    await terminal.shows('Search: databas* locked');
    terminal.press('h');
    await terminal.shows(/\d+ found +\/search\?q=reservation/);
    terminal.press('Down', 'q', 'y');
    await terminal.shows('/search?q=databas*%20locked');
    terminal.press('Escape');
    await terminal.shows('── Preview');
  });

  it('answers what FTS5 refuses, and says how', async () => {
    terminal.press('/', 'C-u');
    terminal.type('reservation "');
    await terminal.shows('⚠ Degraded: not a query that the index can read');
    await terminal.shows(/5 results · fts5 like_fallback/);
  });

  it('follows the size of the terminal', async () => {
    terminal.resize(130, 30);
    await terminal.shows(/── Results ─+ .*── Preview/);
    terminal.resize(60, 14);
    await terminal.shows(/^(?![\s\S]*── Preview)[\s\S]*── Results/);
    expect(terminal.lines().filter((line) => line.length > 60)).toEqual([]);
    terminal.resize(80, 24);
    await terminal.shows('── Preview');
  });

  it('takes the wheel and clicks where they are made', async () => {
    terminal.press('/', 'C-u');
    terminal.type('databas* locked');
    await terminal.shows(/^› .*sqlite: database is locked/m);
    terminal.click(10, 6);
    await terminal.shows(/^› .*Re: sqlite: database is locked/m);
    await terminal.shows('Enter read');
    terminal.click(10, 6);
    await terminal.shows('← results');
    terminal.click(20, 1);
    await terminal.shows('Esc clear');
  });

  it('leaves the terminal as it was and ends with 0', async () => {
    terminal.press('Tab', 'q');
    const text = await terminal.shows('ended with 0');
    expect(text).not.toContain('Writ · message search');
  });
});

/** A line from a column of the terminal on. */
function from(line: string, column: number): string {
  const signs = characters(line);
  let at = 0;
  for (let used = 0; used < column; at += 1) used += cells(signs[at] ?? ' ');
  return signs.slice(at).join('');
}

describe('writ tui in a terminal of 200x50', () => {
  it('keeps each column in its place beside joined signs, and shows no colour to whoever wants none', async () => {
    const directory = path.join(home, 'wide');
    const wide = dataDirPaths(path.join(directory, 'data'));
    mkdirSync(wide.dataDir, { recursive: true, mode: 0o700 });
    const engine = createWriteEngine(wide.messages);
    const joined = '👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 🇩🇪 1️⃣ ❤️';
    const ops = [1, 2].map((id) =>
      PutMessage.parse({ op: 'message', project: 'p', key: `k${id}`, from: 'BlueLake', subject: `Signs ${joined} end`, body_md: `${joined} and more of it` }),
    );
    engine.apply([{ at: 1, ops }]);
    engine.close();
    const size = { columns: 200, rows: 50 };
    using screen = openTerminal(
      directory,
      ['env', 'FORCE_COLOR=1', process.execPath, ...scriptArgs(WRIT, ['--data-dir', wide.dataDir, '--no-color', 'tui', 'signs'])],
      size,
    );
    await screen.shows('2 results');
    screen.press('Enter');
    const text = await screen.shows(/^› .*Signs 👩👩👧👦 🏳🌈 👍 DE 1 ❤ end/m);
    const lines = text.split('\n');
    const rule = lines.findIndex((line) => line.startsWith('── Results'));
    // The right side of the rule, of a result with such signs beside the subject, and of one beside who wrote it.
    const right = (line: number): string => from(lines[rule + line] ?? '', 102);
    expect([right(0), right(1), right(2)]).toEqual([
      expect.stringMatching(/^── Preview/),
      expect.stringMatching(/^Signs 👩/),
      expect.stringMatching(/^#\d · from/),
    ]);
    for (let colour = 30; colour < 38; colour += 1) expect(screen.painted()).not.toMatch(`${colour}m`);
    // The selected row stands out all the same.
    expect(screen.painted()).toMatch(/[[;]7m/);
  });
});

describe('writ tui elsewhere', () => {
  it('says what to use where there is no terminal', async () => {
    const said = await commandLine(['--data-dir', places.dataDir, 'tui']);
    expect(said).toMatchObject({ code: 2, out: '', err: expect.stringContaining('writ messages search') });
  });
});
