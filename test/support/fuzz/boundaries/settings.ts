import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { loadConfig } from '../../../../config/load.ts';
import { packageRoot } from '../../../../config/package.ts';
import { settingsByKey } from '../../../../config/settings.ts';
import { readRegistryRoot } from '../../../../src/adapters/registries/registry-root.ts';
import { readToolBindings } from '../../../../src/adapters/tool-bindings/index.ts';
import { type Boundary, outcomeOf } from '../boundary.ts';
import { scratch } from '../scratch.ts';

const OWN = `[file.base_directories]
inbox = "/srv/inbox"
[search.scopes.mail]
kind = "emails"
store = "maildir"
path = "/srv/mail"
[search.scopes.rows]
kind = "datasets"
format = "csv"
path = "/srv/rows.csv"
primary_key = "id"
[webhooks.endpoints.ops]
url = "https://example.org/hook"
capabilities = ["FILE_MOVE"]
[tools.sandbox]
allowed_roots = ["/srv"]
[redis]
max_memory_mb = 64
`;

/** The file of the settings. */
export const configuration: Boundary = {
  shape: 'text',
  what: 'the file of the settings (TOML)',
  weight: 0.1,
  async open() {
    const { home, remove } = scratch('config');
    const configFile = path.join(home, 'writ.toml');
    const shipped = readFileSync(path.join(packageRoot(), 'config/writ.toml'), 'utf8').replaceAll(/^#.*\n/gm, '');
    return {
      seeds: [OWN, shipped],
      words: [
        '[',
        ']',
        '[[',
        '=',
        '"""',
        "'''",
        '1e400',
        'nan',
        'inf',
        '-1',
        '0',
        '1979-05-27T07:32:00Z',
        '{ a = 1 }',
        '# ',
        '.',
        '\n[redis]\n',
        'true',
        '""',
        ...[...settingsByKey().keys()].slice(0, 60),
      ],
      async run(input) {
        writeFileSync(configFile, input);
        return outcomeOf(() => loadConfig({ configFile, dataDir: home, env: {}, cwd: home }));
      },
      close: remove,
    };
  },
};

/** Definitions and bindings of tools, as files of a registry. */
export const registry: Boundary = {
  shape: 'json',
  what: 'registries and tool bindings: definitions as files',
  weight: 0.3,
  async open() {
    const { home, remove } = scratch('registry');
    const root = packageRoot();
    const places = {
      'tools.json': 'registries',
      'writ.file.tool.json': 'config/tools',
      'file.item.move.json': 'config/capabilities',
      'inbox.sort.run.json': 'config/use-cases',
    };
    for (const folder of [...Object.values(places), 'config/tool-bindings']) mkdirSync(path.join(home, folder), { recursive: true });
    const binding = {
      id: 'x.hook',
      adapter: 'http',
      provider: 'x',
      base_url: 'https://example.org',
      actions: { send: { method: 'POST', path: '/a/{{params.n}}', idempotency: 'once' } },
    };
    const seeds = Object.entries(places).map(([name, folder]) => readFileSync(path.join(root, folder, name), 'utf8'));
    return {
      seeds: [...seeds, JSON.stringify(binding)],
      words: ['id', 'version', 'actions', 'steps', 'adapter', 'http', 'mcp', 'writ', 'base_url', 'headers', 'env:X', 'method', 'path', 'idempotency', '$ref'],
      async run(input) {
        const outcomes: string[] = [];
        for (const place of ['registries/tools.json', 'config/tools/writ.file.tool.json', 'config/capabilities/x.json', 'config/use-cases/x.json']) {
          const file = path.join(home, place);
          writeFileSync(file, input);
          outcomes.push(await outcomeOf(() => readRegistryRoot(home)));
          rmSync(file);
        }
        writeFileSync(path.join(home, 'config/tool-bindings/x.json'), input);
        outcomes.push(await outcomeOf(() => readToolBindings([home])));
        return [...new Set(outcomes)].sort().join(' or ');
      },
      close: remove,
    };
  },
};
