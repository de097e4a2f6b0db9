import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../../config/package.ts';
import { brokenLinks } from '../../../scripts/docs/links.ts';

const manifest = JSON.parse(readFileSync(path.join(packageRoot(), 'package.json'), 'utf8')) as Readonly<Record<string, unknown>>;

it('no module of ours is imported for what it does alone: bundles leave such an import out', () => {
  expect(manifest['sideEffects']).toBe(false);
  const modules = ['src', 'queues', 'processors', 'config', 'bench'].flatMap((folder) =>
    readdirSync(path.join(packageRoot(), folder), { recursive: true, encoding: 'utf8' }).map((file) => path.join(folder, file)),
  );
  const sources = modules.filter((file) => /\.tsx?$/.test(file));
  expect(sources.length).toBeGreaterThan(100);
  expect(sources.filter((file) => /^import ['"]/m.test(readFileSync(path.join(packageRoot(), file), 'utf8')))).toEqual([]);
});

describe('what npm packs', () => {
  let files: ReadonlySet<string>;
  beforeAll(() => {
    // Without the steps before it: dist is looked at by the long suite, which installs the package.
    const out = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: packageRoot(),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const answer = JSON.parse(out) as Record<string, Packed> | Packed[];
    files = new Set(Object.values(answer).flatMap((packed) => packed.files.map(({ path: file }) => file)));
  });
  interface Packed {
    readonly files: readonly { readonly path: string }[];
  }
  const isPacked = (file: string): boolean => files.has(file) || [...files].some((one) => one.startsWith(`${file}/`));

  it('is pages, dashboards, alerts, the compose file, units, manifests and examples beside the program', () => {
    const wanted = [
      ...['README.md', 'LICENSE', 'CHANGELOG.md', 'CONTRIBUTING.md', 'sbom.cdx.json', 'docker-compose.yml'],
      ...['docs/README.md', 'docs/tutorial.md', 'docs/runbooks/WritDown.md', 'docs/generated/configuration.md'],
      ...['grafana/dashboards/overview.json', 'grafana/provisioning/datasources/prometheus.yaml', 'prometheus/task-alerts.yml', 'deploy/redis/users.conf'],
      ...['examples/client/copy-file.mjs', 'examples/raw-producer.py', 'examples/plans/archive-contracts.json', 'contracts/openapi.json', 'config/writ.toml'],
    ];
    expect(wanted.filter((file) => !files.has(file))).toEqual([]);
  });

  it('has everything that its README and the map of its pages lead to', () => {
    const pages = [...files].filter((file) => file.endsWith('.md')).map((file) => ({ file, text: readFileSync(path.join(packageRoot(), file), 'utf8') }));
    const broken = brokenLinks(pages, isPacked);
    expect(broken.filter((line) => /^(?:README|docs\/(?:README|tutorial|operations|monitoring|cli))\.md/.test(line))).toEqual([]);
  });

  it('is no source, test, secret, or file of an installation', () => {
    expect([...files].filter((file) => /^(?:src|test|bench|scripts|secrets|\.writ|node_modules)\//.test(file))).toEqual([]);
  });

  it('says where it comes from and what it is about', () => {
    expect(manifest).toMatchObject({ repository: { type: 'git', url: expect.any(String) }, keywords: expect.arrayContaining(['bullmq', 'job-queue']) });
  });

  it('is not published under an address that nobody has', () => {
    expect(manifest['scripts']).toMatchObject({ prepublishOnly: 'node scripts/publishable.js' });
    const home = mkdtempSync(path.join(tmpdir(), 'writ-publish-'));
    const asked = (url: string) => {
      for (const file of ['package.json', 'packages/client/package.json']) {
        mkdirSync(path.dirname(path.join(home, file)), { recursive: true });
        writeFileSync(path.join(home, file), JSON.stringify({ type: 'module', repository: { type: 'git', url } }));
      }
      const { status, stderr } = spawnSync(process.execPath, [path.join(packageRoot(), 'scripts/publishable.js')], { cwd: home, encoding: 'utf8' });
      return { status, told: stderr.split('\n').filter((line) => line.includes('repository is still')).length };
    };
    expect(asked('git+https://example.invalid/writ.git')).toEqual({ status: 1, told: 2 });
    expect(asked('git+https://git.example/writ.git')).toEqual({ status: 0, told: 0 });
    rmSync(home, { recursive: true });
  });
});
