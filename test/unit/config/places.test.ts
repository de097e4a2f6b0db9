import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../../config/package.ts';
import { dataDirectory } from '../../../config/places.ts';

const home = mkdtempSync(path.join(os.tmpdir(), 'writ-places-'));
afterAll(() => rmSync(home, { recursive: true }));

const checkout = path.join(home, 'checkout');
const installed = path.join(home, 'lib', 'node_modules', 'writ');
const linked = path.join(home, 'odd', 'node_modules', 'writ');
mkdirSync(checkout);
mkdirSync(installed, { recursive: true });
mkdirSync(path.join(linked, '.git'), { recursive: true });

const ask = (root: string, environment: Record<string, string> = {}) =>
  dataDirectory({ environment: { HOME: '/home/somebody', ...environment }, cwd: '/work', root });

describe('the data directory', () => {
  it('is WRIT_DATA_DIR wherever Writ lies', () => {
    expect(ask(checkout, { WRIT_DATA_DIR: '/data' })).toBe('/data');
    expect(ask(installed, { WRIT_DATA_DIR: 'data' })).toBe('/work/data');
  });

  it('is .writ in a checkout, whatever the working directory', () => {
    expect(ask(checkout)).toBe(path.join(checkout, '.writ'));
    expect(ask(linked)).toBe(path.join(linked, '.writ'));
  });

  it('is the state directory of the user for an installed package', () => {
    expect(ask(installed)).toBe('/home/somebody/.local/state/writ');
    expect(ask(installed, { XDG_STATE_HOME: '/state' })).toBe('/state/writ');
    expect(ask(installed, { XDG_STATE_HOME: 'relative' })).toBe('/home/somebody/.local/state/writ');
    expect(ask(installed, { WRIT_DATA_DIR: '' })).toBe('/home/somebody/.local/state/writ');
  });
});

it('the package root is where package.json and the shipped settings lie', () => {
  expect(existsSync(path.join(packageRoot(), 'package.json')) && existsSync(path.join(packageRoot(), 'config', 'writ.toml'))).toBe(true);
});
