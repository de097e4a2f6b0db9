import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Ran, ran } from '../package/ran.ts';
import { nodeOf } from '../runtimes/node-of.ts';
import { madeOnce, type Origin } from './cache.ts';
import type { Engine } from './engine.ts';

const SUITE = 'bookworm';
const MIRROR = 'http://deb.debian.org/debian';
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

/** Debian's packages on the root file system, with what the published images of that name promise. */
const DEBIAN: Readonly<Record<string, (root: string) => string>> = {
  redis: (root) => `FROM ${root}
RUN apt-get update && apt-get install -y --no-install-recommends redis-server && rm -rf /var/lib/apt/lists/* && install -d -o 999 -g 999 /data
WORKDIR /data
VOLUME /data
CMD ["redis-server"]
`,
  'prom/prometheus': (root) => `FROM ${root}
RUN apt-get update && apt-get install -y --no-install-recommends prometheus wget && rm -rf /var/lib/apt/lists/* && install -d -o 65534 -g 65534 /prometheus
WORKDIR /prometheus
VOLUME /prometheus
ENTRYPOINT ["/usr/bin/prometheus"]
`,
};

/** Whether it is known here how an image of this name is made. */
export const canBeMade = (image: string): boolean => image.startsWith('node:') || Object.hasOwn(DEBIAN, image.split(':')[0] ?? '');

/**
 * Puts images under the pinned names into the engine, without a registry: debootstrap's smallest Debian, the pinned Node.js
 * of npm's registry, Debian's Redis and Prometheus.
 *
 * @param pinned names with tags, of which one is `node:<version>-…`
 */
export function makeBaseImages(engine: Engine, home: string, pinned: readonly string[], cache: string | undefined): Promise<Origin> {
  return madeOnce(engine, cache, pinned.join('+'), pinned, () => make(engine, home, pinned));
}

async function make(engine: Engine, home: string, pinned: readonly string[]): Promise<void> {
  const root = await importRoot(engine, home);
  for (const image of pinned) {
    const [name = '', tag = ''] = image.split(':');
    const context = path.join(home, 'context', name);
    mkdirSync(context, { recursive: true });
    if (name === 'node') await layOutNode(context, tag.split('-')[0] ?? '', home);
    writeFileSync(path.join(context, 'Dockerfile'), name === 'node' ? nodeFile(root) : (DEBIAN[name]?.(root) ?? refuse(image)));
    await engine.must('build', '--network', 'host', '--tag', image, context);
    rmSync(context, { recursive: true, force: true });
  }
}

async function importRoot(engine: Engine, home: string): Promise<string> {
  const root = path.join(home, 'root');
  const tarball = path.join(home, 'root.tar');
  orThrow(await ran('debootstrap', ['--variant=minbase', SUITE, root, MIRROR], home, { PATH: engine.env['PATH'] ?? '' }));
  orThrow(await ran('tar', ['-C', root, '-cf', tarball, '.'], home));
  await engine.must('import', tarball, 'writ-test/debian:latest');
  for (const done of [root, tarball]) rmSync(done, { recursive: true, force: true });
  return 'writ-test/debian:latest';
}

/** As the published image: program, headers and npm in /usr/local. npm gets this machine's certificates: behind a proxy it needs them. */
async function layOutNode(context: string, version: string, home: string): Promise<void> {
  const { env } = await nodeOf(version, home);
  const local = path.join(context, 'usr/local');
  for (const name of ['bin', 'include', 'etc', 'lib/node_modules']) mkdirSync(path.join(local, name), { recursive: true });
  copyFileSync(path.join(env['PATH']?.split(':')[0] ?? '', 'node'), path.join(local, 'bin/node'));
  cpSync(path.join(env['npm_config_nodedir'] ?? '', 'include/node'), path.join(local, 'include/node'), { recursive: true });
  const { out: modules } = orThrow(await ran('npm', ['root', '--global'], home));
  cpSync(path.join(modules.trim(), 'npm'), path.join(local, 'lib/node_modules/npm'), { recursive: true });
  for (const name of ['npm', 'npx']) symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, path.join(local, 'bin', name));
  if (!existsSync(CERTIFICATES)) return;
  mkdirSync(path.join(context, path.dirname(CERTIFICATES)), { recursive: true });
  writeFileSync(path.join(context, CERTIFICATES), readFileSync(CERTIFICATES));
  writeFileSync(path.join(local, 'etc/npmrc'), `cafile=${CERTIFICATES}\n`);
}

const nodeFile = (root: string): string => `FROM ${root}
COPY . /
RUN rm /Dockerfile && node --version && npm --version
CMD ["node"]
`;

function refuse(image: string): never {
  throw new Error(`it is not known how ${image} is made; say so in base-images.ts`);
}

function orThrow(done: Ran): Ran {
  if (done.code !== 0) throw new Error(`ended with ${done.code}: ${done.out.slice(-2000)}${done.err.slice(-2000)}`);
  return done;
}
