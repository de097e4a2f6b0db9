import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../../config/package.ts';
import { brokenLinks } from '../../../scripts/docs/links.ts';
import { patient } from '../../support/patience.ts';
import { type Consumer, installPackage } from './package.ts';

let consumer: Consumer;
beforeAll(async () => {
  consumer = await installPackage();
}, patient(180_000));
afterAll(() => consumer?.[Symbol.dispose]());

// The compiler's own libraries are right.
const STRICT = '--skipDefaultLibCheck --noEmit --strict --exactOptionalPropertyTypes --module nodenext --moduleResolution nodenext --target es2023'.split(' ');
const TYPE_ROOTS = path.join(packageRoot(), 'node_modules/@types');

describe('the packed package', () => {
  it('ships the program and the client, no tests, benchmarks, source maps or files of a checkout', () => {
    expect(consumer.files).toEqual(expect.arrayContaining(['writ.js', 'whole.cjs', 'roles.cjs', 'build-id'].map((name) => `dist/src/bin/${name}`)));
    // What one Node has compiled is nothing for another.
    expect(consumer.files.filter((file) => file.endsWith('.cache'))).toEqual([]);
    for (const part of [
      'registries/tools.json',
      'config/tools/writ.file.tool.json',
      'config/tool-bindings/writ.file.json',
      'config/use-cases/inbox.sort.run.json',
    ])
      expect(consumer.files).toContain(part);
    expect(consumer.files).toContain('dist/src/surfaces/client/index.d.ts');
    const allowed =
      /^(package\.json|README\.md|CHANGELOG\.md|CONTRIBUTING\.md|docker-compose\.yml|(?:docs|examples|deploy|grafana|prometheus)\/.+|sbom\.cdx\.json|LICENSE|contracts\/[^/]+\.json|config\/writ\.toml|config\/(tools|tool-bindings|capabilities|use-cases)\/[^/]+\.json|registries\/tools\.json|dist\/(src|queues|processors|config)\/.+\.(js|sql|lua)|dist\/src\/bin\/((?:whole|roles)\.cjs|build-id)|dist\/src\/surfaces\/client\/[^/]+\.d\.ts|dist\/src\/content-search\/index\.d\.ts)$/;
    expect(consumer.files.filter((file) => !allowed.test(file))).toEqual([]);
  });

  it('has pages, dashboards, alerts, the compose file, units, manifests and examples beside the program', () => {
    const wanted = [
      ...['README.md', 'LICENSE', 'CHANGELOG.md', 'CONTRIBUTING.md', 'sbom.cdx.json', 'docker-compose.yml'],
      ...['docs/README.md', 'docs/tutorial.md', 'docs/runbooks/WritDown.md', 'docs/generated/configuration.md'],
      ...['grafana/dashboards/overview.json', 'grafana/provisioning/datasources/prometheus.yaml', 'prometheus/task-alerts.yml', 'deploy/redis/users.conf'],
      ...['examples/client/copy-file.mjs', 'examples/raw-producer.py', 'examples/plans/archive-contracts.json', 'contracts/openapi.json', 'config/writ.toml'],
    ];
    expect(wanted.filter((file) => !consumer.files.includes(file))).toEqual([]);
  });

  it('has everything that its README and the map of its pages lead to', () => {
    const pages = consumer.files.filter((file) => file.endsWith('.md')).map((file) => ({ file, text: readFileSync(path.join(packageRoot(), file), 'utf8') }));
    const isPacked = (file: string): boolean => consumer.files.some((one) => one === file || one.startsWith(`${file}/`));
    const broken = brokenLinks(pages, isPacked);
    expect(broken.filter((line) => /^(?:README|docs\/(?:README|tutorial|operations|monitoring|cli))\.md/.test(line))).toEqual([]);
  });

  it('has no source, test, secret, or file of an installation', () => {
    expect(consumer.files.filter((file) => /^(?:src|test|bench|scripts|secrets|\.writ|node_modules)\//.test(file))).toEqual([]);
  });

  it('names no place of the machine that built it', () => {
    for (const file of consumer.files) {
      const text = readFileSync(path.join(consumer.directory, 'node_modules/writ', file), 'utf8');
      expect(text.includes(packageRoot()), file).toBe(false);
    }
  });

  it('offers the client and its package.json, and nothing else', async () => {
    consumer.write(
      'doors.mjs',
      `const tried = {};
       for (const name of ['writ', 'writ/client', 'writ/package.json', 'writ/dist/src/core/errors.js', 'writ/client/tasks.js'])
         tried[name] = await import(name, name.endsWith('json') ? { with: { type: 'json' } } : {}).then(() => 'ok', (error) => error.code);
       console.log(JSON.stringify(tried));`,
    );
    const { out } = await consumer.node('doors.mjs');
    expect(JSON.parse(out)).toEqual({
      writ: 'ERR_PACKAGE_PATH_NOT_EXPORTED',
      'writ/client': 'ok',
      'writ/package.json': 'ok',
      'writ/dist/src/core/errors.js': 'ERR_PACKAGE_PATH_NOT_EXPORTED',
      'writ/client/tasks.js': 'ERR_PACKAGE_PATH_NOT_EXPORTED',
    });
  });

  // Only the example itself reads a file.
  const example = readFileSync(path.join(packageRoot(), 'examples/client/typed.ts'), 'utf8');
  const withoutNode = example.replace(/^import \{ readFileSync.*$/m, 'declare function readFileSync(name: string, encoding: string): string;');

  it("type-checks a strict consumer with the browser's types and without zod", async () => {
    consumer.write('typed.ts', withoutNode);
    expect(await consumer.tsc([...STRICT, '--lib', 'es2023,dom,dom.iterable,dom.asynciterable', 'typed.ts'])).toEqual({ code: 0, out: '', err: '' });
  });

  it("does so with Node's types, and refuses wrong inputs, outputs and constraints of a capability beside it", async () => {
    const bad = (manifest: string) => `await client.tasks.submit(${manifest}, {});`;
    const head = `import { WritClient } from 'writ/client';\nconst client = new WritClient({ baseUrl: 'http://x', key: 'k' });\n`;
    const lines = [
      bad(`{ task_id: 'a', capability_id: 'FILE_COPY', inputs: { source_path: '/a' }, constraints: {} }`),
      bad(`{ task_id: 'a', capability_id: 'FILE_DELETE', inputs: { source_path: '/a' }, constraints: {} }`),
      bad(`{ task_id: 'a', capability_id: 'FILE_BURN', inputs: {}, constraints: {} }`),
      `const t = await client.tasks.result<'FILE_MOVE'>('a'); if (t.result?.status === 'SUCCESS') t.result.output.undo_metadata.recovery_path;`,
    ];
    consumer.write('typed.ts', example);
    consumer.write('bad.ts', `${head}${lines.join('\n')}\nexport {};\n`);
    const { out } = await consumer.tsc([...STRICT, '--types', 'node', '--typeRoots', TYPE_ROOTS, '--lib', 'es2023', 'typed.ts', 'bad.ts']);
    const places = [...out.matchAll(/^(\S+)\((\d+),/gm)].map(([, file, line]) => `${file} ${line}`);
    expect([...new Set(places)]).toEqual([3, 4, 5, 6].map((line) => `bad.ts ${line}`));
  });
});
