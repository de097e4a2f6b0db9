import { describe, expect, it } from 'vitest';
import { canBeMade } from '../../chaos/containers/base-images.ts';
import { lackingMeans } from '../../chaos/containers/means.ts';
import { pinnedImages } from '../../chaos/containers/pinned.ts';

describe('the long suite of containers', () => {
  it('knows how to make every image that the Dockerfile and docker-compose.yml name, but for Grafana', () => {
    const pinned = pinnedImages();
    expect(pinned).toEqual([
      expect.stringMatching(/^node:\d+\.\d+\.\d+-bookworm-slim$/),
      expect.stringContaining('redis:'),
      expect.stringContaining('prom/prometheus:'),
    ]);
    expect(pinned.filter((image) => !canBeMade(image))).toEqual([]);
  });

  it('says what a machine lacks with the command that installs it, each package once', () => {
    expect(lackingMeans(() => true, 0)).toEqual([]);
    const lacking = lackingMeans((program) => !['dockerd', 'docker', 'debootstrap'].includes(program), 1000);
    expect(lacking).toEqual([
      expect.stringContaining('needs root'),
      'missing: dockerd, docker, debootstrap; apt-get install -y --no-install-recommends docker.io debootstrap',
    ]);
  });
});
