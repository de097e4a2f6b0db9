/**
 * How long tests wait before they call something hung. No such time is an assertion: a test passes when what it waits for has
 * come, however late. A slow machine, or one that is busy, waits longer: `vitest.config.ts` measures once how slow it is and
 * hands it on, also to the processes that tests start.
 */
const SLOWNESS = Math.max(1, Number(process.env['WRIT_TEST_SLOWNESS'] ?? 1) || 1);

/** The time in milliseconds, longer on a slow machine. */
export const patient = (ms: number): number => Math.ceil(ms * SLOWNESS);

/** One wait of a test; less than the time of the whole test, so that the failure says what did not come. */
export const PATIENCE_MS = patient(60_000);
/** For `vi.waitFor`, whose default of one second cannot be configured. */
export const PATIENCE = { timeout: PATIENCE_MS } as const;
