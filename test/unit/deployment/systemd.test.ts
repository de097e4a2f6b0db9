import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { packageRoot } from '../../../config/package.ts';

const FOLDER = path.join(packageRoot(), 'deploy', 'systemd');
const ROLES = ['api', 'index-host', 'kernel', 'worker'];

/** Sections of a unit, each with the values of its words in their order. */
function unitOf(role: string): Map<string, readonly string[]> {
  const words = new Map<string, string[]>();
  for (const line of readFileSync(path.join(FOLDER, `writ-${role}.service`), 'utf8').split('\n')) {
    const [, name = '', value = ''] = /^([A-Za-z]+)=(.*)$/.exec(line) ?? [];
    if (name !== '') words.set(name, [...(words.get(name) ?? []), value]);
  }
  return words;
}

describe('the units of systemd', () => {
  it('are one for each role, started with the command of the role', () => {
    expect(readdirSync(FOLDER).sort()).toEqual(ROLES.map((role) => `writ-${role}.service`));
    for (const role of ROLES) expect(unitOf(role).get('ExecStart')).toEqual([expect.stringMatching(new RegExp(`/writ\\.js --config \\S+ ${role}$`))]);
  });

  it('wait for the word of the role, watch it, and give it the time of its drain', () => {
    const { worker } = loadConfig({ dataDir: '/nonexistent', env: {} }).config;
    for (const role of ROLES) {
      const unit = unitOf(role);
      expect([unit.get('Type'), unit.get('NotifyAccess'), unit.get('Restart')]).toEqual([['notify'], ['main'], ['always']]);
      expect(Number(unit.get('WatchdogSec')?.[0])).toBeGreaterThan(0);
      expect(Number(unit.get('TimeoutStopSec')?.[0]) * 1000).toBeGreaterThan(worker.drain_ms + 5000);
    }
  });

  it('let a role write its state and, for the worker alone, the base directories', () => {
    for (const role of ROLES) {
      const unit = unitOf(role);
      expect([unit.get('User'), unit.get('ProtectSystem'), unit.get('CapabilityBoundingSet'), unit.get('NoNewPrivileges')]).toEqual([
        ['writ'],
        ['strict'],
        [''],
        ['yes'],
      ]);
      expect(unit.get('ReadWritePaths')).toEqual(role === 'worker' ? ['-/srv/files'] : undefined);
    }
  });

  it('hide the private keys of others from a role, as the services of Compose do', () => {
    const hidden = Object.fromEntries(ROLES.map((role) => [role, (unitOf(role).get('InaccessiblePaths') ?? []).map((one) => path.basename(one, '.key.json'))]));
    expect(hidden).toEqual({ api: ['kernel', 'executor'], 'index-host': ['kernel', 'executor'], kernel: ['executor'], worker: ['kernel'] });
  });

  it('are read by systemd itself without a complaint, which complains of a word that it does not know', () => {
    const home = mkdtempSync(path.join(tmpdir(), 'writ-units-'));
    const verify = (change: (text: string) => string): string => {
      for (const name of readdirSync(FOLDER)) {
        // The account and the program are those of another host.
        const text = readFileSync(path.join(FOLDER, name), 'utf8')
          .replaceAll('/usr/bin/node', process.execPath)
          .replace(/^(User|Group)=writ$/gm, '$1=root');
        writeFileSync(path.join(home, name), change(text.replace(/^Documentation=.*$/m, '')));
      }
      const files = readdirSync(home).map((name) => path.join(home, name));
      return execFileSync('sh', ['-c', 'systemd-analyze verify --man=no "$@" 2>&1 || true', 'sh', ...files], { encoding: 'utf8' });
    };
    try {
      const own = (said: string): string[] => said.split('\n').filter((line) => line.includes(home) || /^writ-/.test(line));
      expect(own(verify((text) => text))).toEqual([]);
      expect(own(verify((text) => text.replace('ProtectSystem=', 'ProtectSystems='))).join('\n')).toMatch(/Unknown key (?:name )?'ProtectSystems'/);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });
});
