import { readFileSync, writeFileSync } from 'node:fs';

/**
 * For an image that has everything: optional peers (tracing, the screen, CSV and Parquet) become dependencies, so that
 * `npm prune --omit=dev` keeps them. Models alone stay out: their package has 288 MB.
 */
const file = new URL('../package.json', import.meta.url);
const { peerDependencies, devDependencies, ...rest } = JSON.parse(readFileSync(file, 'utf8'));
const kept = Object.entries(peerDependencies).filter(([name]) => name !== 'onnxruntime-node');
const others = Object.entries(devDependencies).filter(([name]) => !kept.some(([one]) => one === name));
const manifest = {
  ...rest,
  dependencies: { ...rest.dependencies, ...Object.fromEntries(kept) },
  devDependencies: Object.fromEntries(others),
  peerDependencies,
};
writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
