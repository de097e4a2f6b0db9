import { defineConfig, mergeConfig } from 'vitest/config';
import shared from '../../vitest.config.ts';

/** `npm run test:long -- search-oracles`: the comparisons with other implementations, with thousands of cases. */
export default mergeConfig(shared, defineConfig({ test: { provide: { caseFactor: 25 }, testTimeout: 1_800_000 } }));
