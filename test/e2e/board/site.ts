import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { type BoardRig, startBoardRig } from '../../integration/producers/http/board/board-rig.ts';

/** The board behind the real server, with kernel and worker, and a browser for it. */
export interface Site extends AsyncDisposable {
  readonly board: BoardRig;
  readonly url: string;
  /** Where pictures go: WRIT_TEST_PICTURES, else they vanish with the test. */
  readonly pictures: string;
  /** A page of a fresh profile; what the browser blocks or complains about is collected. */
  page(): Promise<{ readonly page: Page; readonly complaints: string[] }>;
}

/** Known to work without a display, as root and without a network. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

function chromiumPath(): string {
  const found = (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((directory) => join(directory, 'chromium'))
    .find((file) => existsSync(file));
  if (found === undefined) throw new Error('chromium is missing; run: scripts/setup --tests');
  return found;
}

export async function startSite(): Promise<Site> {
  const home = mkdtempSync(join(tmpdir(), 'writ-pictures-'));
  const board = await startBoardRig();
  await board.startKernel();
  await board.rig.startWorker();
  let browser: Browser | undefined;

  return {
    board,
    url: board.url,
    pictures: process.env['WRIT_TEST_PICTURES'] ?? home,
    async page() {
      browser ??= await chromium.launch({ executablePath: chromiumPath(), args: FLAGS });
      const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
      const complaints: string[] = [];
      page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('request', (request) => {
        if (!request.url().startsWith(board.url) && !request.url().startsWith('data:')) complaints.push(`asks ${request.url()}`);
      });
      return { page, complaints };
    },
    async [Symbol.asyncDispose]() {
      await browser?.close();
      await board[Symbol.asyncDispose]();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
