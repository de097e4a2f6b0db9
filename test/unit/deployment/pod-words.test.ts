import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { packageRoot } from '../../../config/package.ts';
import { type PodSpec, runWords } from '../../chaos/containers/pod-words.ts';

const MANIFEST = path.join(packageRoot(), 'deploy/kubernetes/statefulset.yaml');

describe('the words by which an engine runs a container of the pod', () => {
  it('say what the manifest says: namespaces, user, limits, environment, mounts, command', () => {
    const { spec } = (parse(readFileSync(MANIFEST, 'utf8')) as { spec: { template: { spec: PodSpec } } }).spec.template;
    const search = spec.containers.find(({ name }) => name === 'search');
    expect(search && runWords(search, spec, '/place', 'pause').join(' ')).toBe(
      [
        '--network container:pause --pid container:pause --user 10001:10001 --group-add 10001 --security-opt no-new-privileges',
        '--read-only --cap-drop ALL --cpus 2 --memory 2g',
        '--env WRIT_DATA_DIR=/data/pool --env WRIT_BOARD__REGRANT=false --env WRIT_FILE__BASE_DIRECTORIES__FILES=/srv/files',
        '--env WRIT_TOOLS__SEARCH__INDEX_PATH=/data/pool/search-index --env WRIT_METRICS__WORKER_PORT=9465',
        '--volume /place/data:/data --volume /place/settings:/etc/writ:ro --volume /place/tmp:/tmp --volume /place/files:/srv/files:ro',
        '--volume /place/nothing/nothing:/data/pool/keys/kernel.key.json:ro',
        'writ:local --config /etc/writ/writ.toml worker --queues search',
      ].join(' '),
    );
  });
});
