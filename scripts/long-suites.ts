/** A suite too long for `npm test`: what it proves, and the command that runs it from the package root. */
export interface LongSuite {
  readonly what: string;
  /** Tools of node_modules/.bin, or `node`. */
  readonly command: readonly [string, ...string[]];
}

/** All long suites by the name that `npm run test:long -- <name>` takes. Further words go to the suite. */
export const LONG_SUITES: Readonly<Record<string, LongSuite>> = {
  chaos: {
    what: 'kills, zombies, redeliveries and Redis losses in great number; every file effect happens at most once',
    command: ['node', 'dist/test/chaos/run.js'],
  },
};
