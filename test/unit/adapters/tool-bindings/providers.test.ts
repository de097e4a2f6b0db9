import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigSchema } from '../../../../config/schema.ts';
import { poolQueues, taskQueues } from '../../../../queues/catalog.ts';
import { readToolBindings } from '../../../../src/adapters/tool-bindings/index.ts';
import { boundProviders } from '../../../../src/adapters/tool-bindings/providers.ts';
import { registryRoots } from '../../../../src/bin/plan/registry-roots.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'writ-registry-'));
  mkdirSync(path.join(root, 'config/tool-bindings'), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true }));

const config = () => ConfigSchema.parse({ plan: { registry_dir: root } });
const bind = (tool: string, changes: object = {}) => {
  const request = { method: 'POST', url: 'https://hooks.example.com/x' };
  const binding = { tool, adapter: 'http', http: { hosts: ['hooks.example.com'] }, actions: { post: { request } }, ...changes };
  writeFileSync(path.join(root, `config/tool-bindings/${tool}.json`), JSON.stringify(binding));
};

describe('the providers of the tools that are bound on a host', () => {
  it('are those of the bindings as the worker reads them, each once', () => {
    bind('http.webhook');
    bind('crm.contact', { provider: 'crm' });
    bind('crm.company', { provider: 'crm' });
    expect(boundProviders(registryRoots(config()))).toEqual(['crm', 'http-webhook']);
    expect(boundProviders(registryRoots(config()))).toEqual(readToolBindings(registryRoots(config())).providers.map(({ name }) => name));
    expect(boundProviders(registryRoots(ConfigSchema.parse({})))).toEqual([]);
  });

  it('leave out a binding with a fault, at which the worker refuses to start', () => {
    bind('http.webhook', { bogus: 1 });
    expect(boundProviders(registryRoots(config()))).toEqual([]);
    expect(() => readToolBindings(registryRoots(config()))).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG', field: 'bogus' }));
  });

  it('have queues of their own in a pool, beside those of tasks and plans', () => {
    expect(taskQueues('west', ['crm'])).toEqual(['file@west', 'search@west', 'tool-crm@west']);
    expect(poolQueues('default', ['crm'])).toEqual(['file', 'search', 'tool-crm', 'plan']);
  });
});
