import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { packageRoot } from '../../../config/package.ts';
import { composeText } from '../../support/compose-text.ts';

/** What Compose reads of a service, as far as docker-compose.yml says it. */
export interface Service {
  readonly image: string;
  readonly user: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly secrets?: readonly string[];
  readonly tmpfs?: readonly string[];
  readonly read_only?: boolean;
  readonly network_mode?: string;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
}

export interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

const read = (file: string): string => readFileSync(path.join(packageRoot(), file), 'utf8');

export function readCompose(): Compose {
  return parse(composeText(), { merge: true }) as Compose;
}

/** What an image brings along. */
export interface Image {
  readonly entrypoint: readonly string[];
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  /** Files of this checkout in the image: path in the checkout → path in the image. */
  readonly files: Readonly<Record<string, string>>;
}

/** Images from a registry: what their documentation says of them. */
const FOREIGN: Readonly<Record<string, Image>> = {
  redis: { entrypoint: [], workdir: '/data', env: {}, files: {} },
  'prom/prometheus': { entrypoint: ['prometheus'], workdir: '/prometheus', env: {}, files: {} },
};

/** The image of a service; `undefined` for one that cannot run without Docker. */
export function imageOf({ image }: Service): Image | undefined {
  return image === 'writ:local' ? ownImage(read('Dockerfile')) : FOREIGN[image.split(':')[0] ?? ''];
}

/** The last stage of the Dockerfile. */
function ownImage(dockerfile: string): Image {
  const stage = dockerfile.split(/^FROM /m).at(-1) ?? '';
  const all = (instruction: string): readonly string[] => [...stage.matchAll(new RegExp(`^${instruction} (.*)$`, 'gm'))].map(([, rest = '']) => rest);
  const workdir = all('WORKDIR')[0] ?? '/';
  const files = all('COPY').map((rest) => {
    const [, source = '', target = ''] = /^--from=build \/app\/(\S+) (\S+)$/.exec(rest) ?? [];
    return [source, path.join(workdir, target, target.endsWith('/') ? source : '')] as const;
  });
  return {
    entrypoint: JSON.parse(all('ENTRYPOINT')[0] ?? '[]') as string[],
    workdir,
    env: Object.fromEntries(all('ENV').flatMap((rest) => rest.split(' ').map((pair) => pair.split('=') as [string, string]))),
    files: Object.fromEntries(files),
  };
}
