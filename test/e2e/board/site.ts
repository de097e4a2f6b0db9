import { join } from 'node:path';
import type { Browser, Page, PageScreenshotOptions } from 'playwright-core';
import { type BoardRig, type Running, startBoardRig } from '../../integration/surfaces/http/board/board-rig.ts';
import { startBrowser } from '../../support/browser.ts';

/** The board behind the real server, with kernel and worker, and a browser for it. */
export interface Site extends AsyncDisposable {
  readonly board: BoardRig;
  readonly url: string;
  /** Takes a picture for people, into the directory that WRIT_TEST_PICTURES names; else none is taken. */
  picture(page: Page, name: string, options?: Pick<PageScreenshotOptions, 'fullPage'>): Promise<void>;
  /** A page of a fresh profile; what the browser blocks or complains about is collected. */
  page(): Promise<{ readonly page: Page; readonly complaints: string[] }>;
  /** Is sent to the login from this path, and comes back to it. */
  logIn(page: Page, path: string, key: string): Promise<void>;
}

/** @param running an installation with kernel and worker; one of its own when absent */
export async function startSite(running?: Running): Promise<Site> {
  const board = await startBoardRig(running);
  if (!running) {
    await board.startKernel();
    await board.rig.startWorker();
  }
  let browser: Browser | undefined;

  return {
    board,
    url: board.url,
    async picture(page, name, options = {}) {
      const pictures = process.env['WRIT_TEST_PICTURES'];
      if (pictures !== undefined) await page.screenshot({ path: join(pictures, `${name}.png`), animations: 'disabled', ...options });
    },
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
    },
  };
}
