import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { type BoardRig, type Running, startBoardRig } from '../../integration/surfaces/http/board/board-rig.ts';
import { startBrowser } from '../../support/browser.ts';

/** The board behind the real server, with kernel and worker, and a browser for it. */
export interface Site extends AsyncDisposable {
  readonly board: BoardRig;
  readonly url: string;
  /** Where pictures go: WRIT_TEST_PICTURES, else they vanish with the test. */
  readonly pictures: string;
  /** A page of a fresh profile; what the browser blocks or complains about is collected. */
  page(): Promise<{ readonly page: Page; readonly complaints: string[] }>;
  /** Is sent to the login from this path, and comes back to it. */
  logIn(page: Page, path: string, key: string): Promise<void>;
}

/** @param running an installation with kernel and worker; one of its own when absent */
export async function startSite(running?: Running): Promise<Site> {
  const home = mkdtempSync(join(tmpdir(), 'writ-pictures-'));
  const board = await startBoardRig(running);
  if (!running) {
    await board.startKernel();
    await board.rig.startWorker();
  }
  let browser: Browser | undefined;

  return {
    board,
    url: board.url,
    pictures: process.env['WRIT_TEST_PICTURES'] ?? home,
    async page() {
      browser ??= await startBrowser();
      const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
      const complaints: string[] = [];
      page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('request', (request) => {
        if (!request.url().startsWith(board.url) && !request.url().startsWith('data:')) complaints.push(`asks ${request.url()}`);
      });
      return { page, complaints };
    },
    async logIn(page, path, key) {
      await page.goto(`${board.url}${path}`);
      if (new URL(page.url()).pathname !== '/login') throw new Error(`${path} was shown without a login`);
      await page.getByLabel('API key').fill(key);
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.waitForURL(`${board.url}${path}`);
    },
    async [Symbol.asyncDispose]() {
      await browser?.close();
      await board[Symbol.asyncDispose]();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
