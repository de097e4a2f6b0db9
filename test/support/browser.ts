import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

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

/** The Chromium of this machine. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath(), args: FLAGS });
}

function chromiumPath(): string {
  const found = (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((directory) => join(directory, 'chromium'))
    .find((file) => existsSync(file));
  if (found === undefined) throw new Error('chromium is missing; run: scripts/setup --tests');
  return found;
}
